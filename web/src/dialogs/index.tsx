// The dialog that is open.
import { dialog } from "../state";
import { Consent } from "./consent";
import { Explain } from "./explain";
import { Finish } from "./finish";
import { NewSession } from "./new";
import { Help, Palette } from "./palette";
import { Profiles, SettingsDialog } from "./settings";
import { AddWorker, Fork, Move, Rename, RenameWorker } from "./text";
import { Trash } from "./trash";

export function Dialogs() {
  const open = dialog.value;
  switch (open?.kind) {
    case undefined: return null;
    case "new": return <NewSession like={open.like} />;
    case "finish": return <Finish session={open.session} />;
    case "consent": return <Consent consent={open.consent} allow={open.allow} />;
    case "explain": return <Explain session={open.session} />;
    case "rename": return <Rename session={open.session} />;
    case "move": return <Move session={open.session} />;
    case "fork": return <Fork session={open.session} />;
    case "worker": return <AddWorker session={open.session} />;
    case "rename-worker": return <RenameWorker session={open.session} worker={open.worker} />;
    case "trash": return <Trash />;
    case "palette": return <Palette />;
    case "help": return <Help />;
    case "settings": return <SettingsDialog />;
    case "profiles": return <Profiles />;
  }
}
