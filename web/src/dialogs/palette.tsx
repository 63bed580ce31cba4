// Finding a command by its name, and the page with all keys.
import { useState } from "preact/hooks";
import { actions, here } from "../commands";
import { close, Frame } from "./frame";

export function Palette() {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const words = text.toLowerCase().split(/\s+/);
  const all = here().filter(({ title, doc, id }) => words.every((word) => `${title} ${doc} ${id}`.toLowerCase().includes(word)));
  const at = Math.min(chosen, all.length - 1);
  const run = (id: string) => {
    close();
    actions[id]?.run();
  };
  const press = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) setChosen(Math.max(0, Math.min(all.length - 1, at + by)));
    else if (event.key === "Enter" && all[at]) run(all[at].id);
    else return;
    event.preventDefault();
  };
  return (
    <Frame title="Commands">
      <input role="combobox" aria-label="find a command" aria-expanded="true" aria-controls="commands" aria-activedescendant={all[at] ? `command-${all[at].id}` : undefined}
        value={text} data-focus placeholder="find a command" onInput={(event) => { setText(event.currentTarget.value); setChosen(0); }} onKeyDown={press} />
      <ul class="plain scroll" role="listbox" id="commands" aria-label="commands">
        {all.map((command, n) => (
          <li key={command.id} id={`command-${command.id}`} role="option" aria-selected={n === at} class="line" onClick={() => run(command.id)}
            ref={(row) => { if (n === at) row?.scrollIntoView({ block: "nearest" }); }}>
            <span>{command.title}</span><span class="dim">{command.doc}</span><kbd>{command.keys[0]}</kbd>
          </li>
        ))}
      </ul>
      {all.length === 0 && <p class="dim">No command is called that.</p>}
    </Frame>
  );
}

export function Help() {
  const sections = [...new Set(here().map(({ section }) => section))].map((section) => [section, here().filter((command) => command.section === section)] as const);
  return (
    <Frame title="Keys" wide>
      <div class="scroll keys-help" tabIndex={0} data-focus>
        {sections.map(([section, all]) => (
          <section key={section}>
            <h3>{section}</h3>
            <table>
              <tbody>
                {all.filter((command) => command.keys.length).map((command) => (
                  <tr key={command.id}><td>{command.keys.map((key) => <kbd key={key}>{key}</kbd>)}</td><td>{command.doc}</td></tr>
                ))}
              </tbody>
            </table>
          </section>
        ))}
        <section>
          <h3>In a terminal</h3>
          <table>
            <tbody>
              <tr><td><kbd>ctrl-shift-space</kbd></td><td>Leave it, back to the list. All other keys go to its program, Esc too.</td></tr>
              <tr><td><kbd>ctrl-shift-f</kbd></td><td>Find in it.</td></tr>
            </tbody>
          </table>
        </section>
      </div>
      <div class="buttons"><button type="button" class="btn" onClick={close}>Close</button></div>
    </Frame>
  );
}
