// Why a session has its status: what each source reports, and the last changes.
import { useEffect, useState } from "preact/hooks";
import { ask, of } from "../api";
import { now } from "../state";
import { age } from "../status";
import type { Session } from "../types";
import { Frame } from "./frame";

interface Evidence { source: string; observation: string; kind: string | null; rule: string | null; line: string | null; standing: string; seen_at: string }
interface Change { at: string; from: string; status: string; reason: string | null; source: string | null }
interface Explanation { status: string; reason: string | null; since: string; asks: string | null; unsure_since: string | null; evidence: Evidence[]; history?: Change[] }

export function Explain({ session }: { session: Session }) {
  const [why, setWhy] = useState<Explanation | null>(null);
  const [failed, setFailed] = useState<string | null>(null);
  useEffect(() => void ask<Explanation>("GET", of(session.id, "/explain")).then(setWhy, (error: Error) => setFailed(error.message)), []);
  return (
    <Frame title={`Why ${session.title} is ${why?.reason ?? why?.status ?? "…"}`} wide>
      {failed && <p class="failed" role="alert">{failed}</p>}
      {why && (
        <div class="scroll explain" tabIndex={0} data-focus>
          <p>{why.status}{why.reason && ` · ${why.reason}`} for {age(why.since, now.value)}{why.unsure_since && ` · not confirmed for ${age(why.unsure_since, now.value)}`}</p>
          {why.asks && <p class="dim">{why.asks}</p>}
          <h3>Evidence</h3>
          <table>
            <thead><tr><th>source</th><th>reports</th><th>counts</th><th>seen</th></tr></thead>
            <tbody>
              {why.evidence.map((one, n) => (
                <tr key={n}>
                  <td>{one.source}</td>
                  <td>{one.observation}{one.kind && ` (${one.kind})`}{one.line && <div class="dim mono">{one.line}</div>}{one.rule && <div class="faint">rule {one.rule}</div>}</td>
                  <td>{one.standing}</td>
                  <td>{age(one.seen_at, now.value)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {!!why.history?.length && (
            <>
              <h3>Last changes</h3>
              <table>
                <tbody>
                  {[...why.history].reverse().slice(0, 30).map((change, n) => (
                    <tr key={n}><td>{age(change.at, now.value)} ago</td><td>{change.from} → {change.status}{change.reason && ` (${change.reason})`}</td><td class="dim">{change.source}</td></tr>
                  ))}
                </tbody>
              </table>
            </>
          )}
        </div>
      )}
    </Frame>
  );
}
