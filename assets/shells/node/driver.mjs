/*
Keeps the state of a Node REPL in one live process.

Started as `node driver.mjs REQUESTS`. REQUESTS is a FIFO; each line in it is a
job: {"job", "folder", "cwd", "env", "stdin", "merge", "deck"}. The folder
holds `code` and the FIFOs `out`, `err` (not when merged) and `done`, whose
readers are there before the request is. After the code has run, one line
{"exit", "cwd"} goes to `done`. `cwd` there is the folder that later jobs start
in. The process ends when its stdin does, or when anything is written to it. SIGINT interrupts the code that runs.

Three threads: the main one runs the code; the keeper waits for the end of
stdin; the watcher waits for SIGINT, as the main one can't while code runs.
*/
import { spawnSync } from 'node:child_process';
import { closeSync, constants, createReadStream, fstatSync, openSync, readFileSync, readSync,
  statSync, writeSync } from 'node:fs';
import { Session } from 'node:inspector';
import { createRequire, Module } from 'node:module';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { inspect } from 'node:util';
import { createContext, Script } from 'node:vm';
import { isMainThread, MessageChannel, parentPort, Worker, workerData } from 'node:worker_threads';

// Kept here, so that code which changes the globals doesn't change the driver's.
const { Atomics, Buffer, Int32Array, JSON, Object, process, SharedArrayBuffer } = globalThis;
const { parse, stringify } = JSON;

const DRIVER = import.meta.url;
const NULL = '/dev/null';

// What the main thread and the watcher agree on. Only in STOPPING may the main
// thread's execution be terminated, and it leaves that state to the watcher.
const [IDLE, RUNNING, ASKED, STOPPING] = [0, 1, 2, 3];

function change(state, from, to) {
  const changed = Atomics.compareExchange(state, 0, from, to) === from;
  if (changed) Atomics.notify(state, 0);
  return changed;
}

function sleep(milliseconds) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

// Returns at the end of the holder's pipe, or when anything is in it.
function readToEnd(holder) {
  for (let ended = false; !ended;) {
    try {
      readSync(holder, Buffer.alloc(4096));
      ended = true;
    } catch (error) {
      ended = error.code !== 'EINTR';
    }
  }
}

// The keeper. It reads inside scripts that SIGINT breaks: so the signal never
// has its default action, also while the watcher is not watching. Several, one
// in another, as each signal in such a moment may end one. SIGINT goes to the
// script that began last, which must be the watcher's: hence `turn`.
function keep({ holder, turn }) {
  let ended = false;
  const read = () => {
    Atomics.add(turn, 0, 1);
    Atomics.notify(turn, 0);
    parentPort.postMessage('ready');
    readToEnd(holder);
    ended = true;
  };
  globalThis.hold = (depth) => {
    const script = new Script(depth ? `hold(${depth - 1})` : 'read()');
    while (!ended) {
      try {
        script.runInThisContext({ breakOnSigint: true });
      } catch {
        // A SIGINT that nobody has to see.
      }
    }
  };
  globalThis.read = read;
  globalThis.hold(8);
  parentPort.postMessage('end');
  sleep(100);
  process.kill(process.pid, 'SIGKILL'); // the main thread is busy
}

// The watcher.
function watch({ state, turn }) {
  const script = new Script('wait()');
  let seen;
  const context = createContext({
    wait() {
      parentPort.postMessage('ready');
      Atomics.wait(turn, 0, seen);
    },
  });
  const main = new Session();
  main.connectToMainThread();
  parentPort.ref(); // the session alone doesn't keep the thread
  const next = () => {
    try {
      for (;;) {
        seen = Atomics.load(turn, 0);
        script.runInContext(context, { breakOnSigint: true });
      }
    } catch {
      interrupt(state, main, () => setImmediate(next));
    }
  };
  next();
}

// Asks the main thread to end the job; terminates what it runs if it is busy.
function interrupt(state, main, then) {
  if (!change(state, RUNNING, ASKED) && Atomics.load(state, 0) !== ASKED) return then();
  parentPort.postMessage('interrupt');
  Atomics.wait(state, 0, ASKED, 100);
  if (!change(state, ASKED, STOPPING)) return then();
  main.post('Runtime.terminateExecution');
  // Answered in order, so then the termination has been set going.
  main.post('Runtime.getHeapUsage', () => {
    change(state, STOPPING, ASKED);
    parentPort.postMessage('interrupt'); // what it hits when nothing runs
    interrupt(state, main, then);
  });
}

// The main thread.

function writeAll(fd, data) {
  for (let at = 0; at < data.length;) {
    try {
      at += writeSync(fd, data, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') return; // the reader is gone
      sleep(2); // a subprocess has made the stream non-blocking
    }
  }
}

function closeQuietly(fd) {
  try {
    closeSync(fd);
  } catch {
    // The code closed it.
  }
}

// One of the descriptors 0, 1 and 2. There is no dup2: the next one opened
// takes the lowest free number. Should the code's own file operations take it
// in between, `fd` is another number, and only subprocesses miss the stream.
class Standard {
  constructor(number) {
    this.fd = number;
  }

  open(path, flags) {
    closeQuietly(this.fd);
    try {
      this.fd = openSync(path, flags);
    } catch (error) {
      this.fd = openSync(NULL, constants.O_RDWR); // the number stays ours
      throw error;
    }
  }

  // Blocking, but opened without waiting: `helper` is the other side meanwhile.
  openFifo(path, flags, helper) {
    const other = openSync(path, helper | constants.O_NONBLOCK);
    try {
      this.open(path, flags);
    } finally {
      closeSync(other);
    }
  }
}

const standard = [new Standard(0), new Standard(1), new Standard(2)];

// process.stdout and process.stderr: one object for all jobs, never closed.
class Output extends Writable {
  constructor(number) {
    super({ autoDestroy: false, emitClose: false });
    this.fd = number;
  }

  _write(chunk, _encoding, done) {
    writeAll(standard[this.fd].fd, chunk);
    done();
  }

  end(chunk, encoding, done) {
    const last = [chunk, encoding, done].find((each) => typeof each === 'function');
    if (chunk != null && chunk !== last) this.write(chunk, encoding === last ? null : encoding);
    process.nextTick(() => {
      this.emit('finish'); // pipelines wait for it
      last?.();
    });
    return this;
  }

  destroy() {
    return this;
  }
}

let stdin = null;

function currentStdin() {
  if (stdin) return stdin;
  const { fd } = standard[0];
  stdin = fstatSync(fd).isFIFO() ? new Socket({ fd, readable: true, writable: false })
    : createReadStream('', { fd, autoClose: false });
  stdin.on('error', () => {});
  return stdin;
}

function currentFolder() {
  try {
    const folder = process.cwd();
    statSync(folder); // process.cwd() may remember one that is gone
    return folder;
  } catch {
    return null;
  }
}

// The environment and the work directory that hold for one job.
class Surroundings {
  constructor(request) {
    this.job = request.job;
    this.env = Object.entries(request.env ?? {});
    this.before = this.env.map(([name]) => process.env[name]);
    this.cwd = request.cwd;
  }

  enter() {
    for (const [name, value] of this.env) process.env[name] = value;
    process.env.DECK_JOB_ID = this.job;
    if (!this.cwd) return;
    this.cwdBefore = currentFolder();
    process.chdir(this.cwd);
    this.entered = currentFolder();
  }

  leave() {
    delete process.env.DECK_JOB_ID;
    this.env.forEach(([name, value], index) => {
      if (process.env[name] !== value) return; // the code's own stays
      if (this.before[index] === undefined) delete process.env[name];
      else process.env[name] = this.before[index];
    });
    if (!this.cwdBefore || this.entered !== currentFolder()) return;
    try {
      process.chdir(this.cwdBefore);
    } catch {
      // It is gone.
    }
  }
}

// The text of an error, without the frames below and of the driver.
function describe(error) {
  const lines = [];
  let below = false;
  for (const line of inspect(error).split('\n')) {
    const frame = /^\s+at /.test(line);
    below = frame && (below || line.includes('Session.post (node:inspector'));
    if (!below && !(frame && line.includes(DRIVER))) lines.push(line);
    // The last frame may open a list of the error's properties.
    else if (line.endsWith(' {')) lines[lines.length - 1] += ' {';
  }
  return lines.join('\n');
}

function describeSyntaxError(error, details, job, source) {
  const { lineNumber, columnNumber } = details;
  const line = source.split(/\r\n|[\n\r\u2028\u2029]/)[lineNumber] ?? '';
  const hint = /import statement outside/.test(error.message)
    ? "\nHere it is `await import('name')` or `require('name')`." : '';
  return `${job}:${lineNumber + 1}\n${line}\n${' '.repeat(columnNumber)}^\n\n` +
    `${error.name}: ${error.message}${hint}`;
}

function compiles(source) {
  try {
    new Script(`(async () => {${source}\n})`);
    return true;
  } catch {
    return false;
  }
}

// import() fails in what the inspector evaluates; a function of ours stands in
// for it. Where a broken `import` does no harm is no code but text.
function withImports(source) {
  const calls = [...source.matchAll(/(?<![\w$.#])import(?=\s*\()/g)].reverse();
  if (!calls.length || !compiles(source)) return source;
  const put = (text, index, word) => text.slice(0, index) + word + text.slice(index + 6);
  return calls.filter(({ index }) => !compiles(put(source, index, '@@@@@@')))
    .reduce((text, { index }) => put(text, index, 'import_'), source);
}

// A function of a module that lies in `folder`.
function moduleFunction(folder, source) {
  const filename = join(folder, '[repl]');
  const module = new Module(filename);
  module.filename = filename;
  module.paths = Module._nodeModulePaths(folder);
  module._compile(`module.exports = ${source}`, filename);
  return module.exports;
}

class Repl {
  constructor(requests, state) {
    this.state = state;
    this.current = null;
    this.waiting = [];
    this.session = new Session();
    this.session.connect();
    this.requests = new Socket({ fd: requests, readable: true, writable: false });
    // Steps of the driver come as messages: a termination doesn't lose these.
    const { port1, port2 } = new MessageChannel();
    this.step = (name) => port1.postMessage(name);
    port2.on('message', (name) => this[name]());
    this.setGlobals();
    this.setProcess();
    this.setReceiver();
  }

  setGlobals() {
    const define = (name, value) => Object.defineProperty(globalThis, name, {
      value, writable: true, configurable: true, enumerable: false });
    define('cmd', (name, ...args) => ({ exec: () => this.runCommand(name, args.flat()) }));
    define('import_', (name, options) =>
      moduleFunction(currentFolder() ?? '/', '(name, options) => import(name, options)')(
        name, options));
    let require;
    let folder;
    Object.defineProperty(globalThis, 'require', {
      configurable: true,
      get() {
        const now = currentFolder() ?? '/';
        if (now !== folder) require = createRequire(join(now, '/'));
        folder = now;
        return require;
      },
      set: (value) => define('require', value),
    });
  }

  runCommand(name, args) {
    const ran = spawnSync(this.deck, ['job', 'run', '--', name, ...args],
      { encoding: 'utf8', maxBuffer: Infinity, stdio: [standard[0].fd, 'pipe', 'pipe'] });
    if (ran.error) throw ran.error;
    return { stdout: ran.stdout, stderr: ran.stderr, code: ran.status ?? 1 };
  }

  setProcess() {
    process.argv.splice(1);
    const outputs = { stdout: new Output(1), stderr: new Output(2) };
    for (const [name, get] of [['stdin', currentStdin], ['stdout', () => outputs.stdout],
      ['stderr', () => outputs.stderr]]) {
      Object.defineProperty(process, name, { configurable: true, enumerable: true, get });
    }
    process.exit = (code) => this.exit(code);
    this.onUncaught = (error) => this.uncaught(error);
    process.on('removeListener', (_name, listener) => {
      if (listener === this.onUncaught) this.listen();
    });
    this.listen();
  }

  listen() {
    if (!process.listeners('uncaughtException').includes(this.onUncaught)) {
      process.on('uncaughtException', this.onUncaught);
    }
  }

  // The inspector gives references; a call with one of them gives the value.
  setReceiver() {
    this.received = {};
    globalThis.__received = this.received;
    this.session.post('Runtime.evaluate', { expression: '__received' }, (_error, { result }) => {
      this.receiver = result.objectId;
    });
    delete globalThis.__received;
  }

  valueOf(remote) {
    const { objectId, value, unserializableValue } = remote;
    this.session.post('Runtime.callFunctionOn', {
      objectId: this.receiver,
      functionDeclaration: 'function (value) { this.value = value }',
      arguments: [objectId ? { objectId } : unserializableValue ? { unserializableValue }
        : { value }],
    });
    const result = this.received.value;
    delete this.received.value;
    return result;
  }

  listenForRequests() {
    const decoder = new StringDecoder('utf8');
    let rest = '';
    this.requests.on('data', (data) => {
      const lines = (rest + decoder.write(data)).split('\n');
      rest = lines.pop();
      this.waiting.push(...lines);
      this.step('next');
    });
  }

  next() {
    while (!this.current && this.waiting.length) this.accept(this.waiting.shift());
  }

  accept(line) {
    let request;
    try {
      request = parse(line);
    } catch {
      return;
    }
    const done = this.openStreams(request);
    if (done === null) return; // nobody waits for this job any more
    // Nothing may get lost to a termination while code runs.
    this.requests.pause();
    this.deck = request.deck;
    this.current = { request, done, failed: false, answer: null, exit: null,
      surroundings: new Surroundings(request) };
    this.listen();
    process.exitCode = undefined;
    Atomics.store(this.state, 0, RUNNING);
    this.step('run');
  }

  openStreams({ folder, merge }) {
    const opened = [];
    const fifo = (name) => join(folder, name);
    const outputs = [fifo('out'), fifo(merge ? 'out' : 'err')];
    try {
      for (const path of [fifo('done'), ...outputs]) {
        opened.push(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
      }
      outputs.forEach((path, index) =>
        standard[index + 1].openFifo(path, constants.O_WRONLY, constants.O_RDONLY));
      opened.splice(1).forEach(closeSync);
      return opened[0];
    } catch {
      opened.forEach(closeSync);
      return null;
    }
  }

  run() {
    const job = this.current;
    if (!job) return; // interrupted before it began
    const { folder, job: name, stdin: input } = job.request;
    try {
      job.surroundings.enter();
      if (input && statSync(input).isFIFO()) {
        standard[0].openFifo(input, constants.O_RDONLY, constants.O_RDWR);
      } else if (input) {
        standard[0].open(input, constants.O_RDONLY);
      }
      job.source = readFileSync(join(folder, 'code'), 'utf8');
    } catch (error) {
      this.fail(`${error.name}: ${error.message}`);
      this.step('finish');
      return;
    }
    this.session.post('Runtime.evaluate', {
      expression: `${withImports(job.source)}\n//# sourceURL=${name}`,
      replMode: true,
      objectGroup: 'job',
    }, (error, answer) => {
      if (job !== this.current) return; // it was interrupted
      job.answer = error ? null : answer;
      this.step('finish');
    });
  }

  fail(text) {
    this.current.failed = true;
    writeAll(standard[2].fd, Buffer.from(`${text}\n`));
  }

  uncaught(error) {
    // The code's own listeners have it, or it comes while idle.
    if (!this.current || process.listenerCount('uncaughtException') > 1) return;
    this.fail(`Uncaught ${describe(error)}`);
  }

  // process.exit: nothing of the code runs on, not even `finally`.
  exit(code) {
    if (this.current) {
      this.current.exit = Number(code ?? process.exitCode ?? 0) & 255;
      this.step('finish');
    }
    this.session.post('Runtime.terminateExecution');
    for (;;);
  }

  finish() {
    const job = this.current;
    if (!job) return;
    if (job.answer && job.exit === null) {
      const { answer } = job;
      job.answer = null;
      this.show(answer, job);
    }
    if (change(this.state, RUNNING, IDLE)) this.end(this.exitCode(job));
    else this.interrupted();
  }

  // The code may still run here: what shows a value can be the code's own.
  show({ result, exceptionDetails: details }, { request, source }) {
    try {
      const value = this.valueOf(details ? details.exception ?? result : result);
      if (details?.scriptId && value?.name === 'SyntaxError') {
        this.fail(describeSyntaxError(value, details, request.job, source));
      } else if (details) {
        this.fail(`Uncaught ${describe(value)}`);
      } else if (value !== undefined) {
        writeAll(standard[1].fd, Buffer.from(`${inspect(value)}\n`));
      }
    } catch (error) {
      this.fail(`Uncaught ${describe(error)}`);
    }
  }

  exitCode(job) {
    if (job.exit !== null) return job.exit;
    return job.failed ? 1 : Number(process.exitCode ?? 0) & 255;
  }

  // Sent by the watcher. While it is about to terminate, it will send again.
  interrupted() {
    if (!change(this.state, ASKED, IDLE) || !this.current) return;
    this.fail('Interrupted');
    this.end(130);
  }

  end(exit) {
    const { done, surroundings } = this.current;
    this.current = null;
    process.exitCode = undefined;
    this.session.post('Runtime.releaseObjectGroup', { objectGroup: 'job' });
    stdin?.destroy();
    stdin = null;
    standard.forEach((each) => each.open(NULL, constants.O_RDWR));
    surroundings.leave();
    writeAll(done, Buffer.from(`${stringify({ exit, cwd: currentFolder() })}\n`));
    closeSync(done);
    this.requests.resume();
    this.step('next');
  }
}

// Listeners of the code for SIGINT must not take it from the watcher.
function keepSigint() {
  process.on('SIGINT', () => {});
  for (const event of ['newListener', 'removeListener']) {
    for (const listener of process.listeners(event)) {
      process.off(event, listener);
      process.on(event, (name, ...rest) => name === 'SIGINT' || listener(name, ...rest));
    }
  }
}

// A termination in a timer leaves its entry on node's stack of asynchronous
// contexts. By default node then ends the process, as that may be a fault.
function allowTerminations() {
  const { noDeprecation } = process;
  process.noDeprecation = true;
  try {
    const { async_hook_fields: fields, constants: { kCheck } } = process.binding('async_wrap');
    fields[kCheck] = 0;
  } finally {
    process.noDeprecation = noDeprecation;
  }
}

function startThread(data, onMessage) {
  return new Promise((resolve) => {
    const worker = new Worker(new URL(DRIVER),
      { workerData: data, execArgv: [], stdout: true, stderr: true });
    worker.on('message', (message) => (message === 'ready' ? resolve() : onMessage(message)));
  });
}

async function main() {
  keepSigint();
  allowTerminations();
  const { exit } = process;
  const requests = openSync(process.argv[2], constants.O_RDWR);
  // Both ways: it has no end while this is open.
  const holder = openSync('/dev/fd/0', constants.O_RDWR);
  standard[0].open(NULL, constants.O_RDWR);
  const state = new Int32Array(new SharedArrayBuffer(4));
  const turn = new Int32Array(new SharedArrayBuffer(4));
  let repl;
  await startThread({ holder, turn }, () => exit.call(process, 0));
  await startThread({ state, turn }, () => repl?.interrupted());
  repl = new Repl(requests, state);
  repl.listenForRequests();
}

if (isMainThread) await main();
else if (workerData.state) watch(workerData);
else keep(workerData);
