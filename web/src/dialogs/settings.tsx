// What this browser shows and how, and the profiles.
import { useEffect, useState } from "preact/hooks";
import { ask } from "../api";
import { permission } from "../notify";
import { choose, profileName, settings, version } from "../page";
import { say } from "../state";
import { names } from "../theme";
import { close, Frame } from "./frame";

export function SettingsDialog() {
  const { theme, webgl, notify } = settings.value;
  const want = async (on: boolean) => {
    if (on && (await Notification.requestPermission()) !== "granted") {
      return say("This browser refuses notifications of deck. Its settings for this site allow them.", true);
    }
    choose({ notify: on });
  };
  return (
    <Frame title="Settings of this browser">
      <form onSubmit={(event) => { event.preventDefault(); close(); }}>
        <label>Theme
          <select value={theme} data-focus onChange={(event) => choose({ theme: event.currentTarget.value })}>
            <option value="auto">auto: dark or light, as the system</option>
            {names.map((name) => <option key={name} value={name}>{name}</option>)}
          </select>
        </label>
        <label class="check"><input type="checkbox" checked={webgl} onChange={(event) => choose({ webgl: event.currentTarget.checked })} />draw terminals with WebGL</label>
        {permission() === "none"
          ? <p class="dim">Notifications need https, or this machine's own address.</p>
          : <label class="check"><input type="checkbox" checked={notify && permission() === "granted"} onChange={(event) => void want(event.currentTarget.checked)} />notify me when a session needs me</label>}
        <p class="faint">deck {version.value}, profile {profileName.value}</p>
        <div class="buttons"><button class="btn first">Close</button></div>
      </form>
    </Frame>
  );
}

interface Profile { name: string; sessions: number | null; is_default?: boolean }

export function Profiles() {
  const [all, setAll] = useState<Profile[]>([]);
  useEffect(() => void ask<{ profiles: Profile[] }>("GET", "/api/profiles").then(({ profiles }) => setAll(profiles), (why: Error) => say(why.message, true)), []);
  return (
    <Frame title="Profiles">
      <ul class="plain">
        {all.map((one) => (
          <li key={one.name}>
            <a class="line" href={`/?profile=${encodeURIComponent(one.name)}`} aria-current={one.name === profileName.value ? "true" : undefined} data-focus={one.name === profileName.value}>
              <span>{one.name}</span><span class="dim">{one.sessions === null ? "" : `${one.sessions} sessions`}</span>
            </a>
          </li>
        ))}
      </ul>
      <div class="buttons"><button type="button" class="btn" onClick={close}>Close</button></div>
    </Frame>
  );
}
