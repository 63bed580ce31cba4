// What a repository wants to run: all of it, for its user to allow or not.
import type { Consent as Asked } from "../api";
import { close, Frame } from "./frame";

export function Consent({ consent, allow }: { consent: Asked; allow: (always: boolean) => void }) {
  const take = (always: boolean) => {
    close();
    allow(always);
  };
  return (
    <Frame title={`${consent.repository} wants to run this`} wide>
      <p class="dim">It runs with your rights. Nothing of it has run yet. Allowing holds for just this content.</p>
      <pre class="script" tabIndex={0}>{consent.text}</pre>
      <div class="buttons">
        <button type="button" class="btn" data-focus onClick={close}>Cancel</button>
        <button type="button" class="btn" onClick={() => take(false)}>Allow once</button>
        <button type="button" class="btn first" onClick={() => take(true)}>Allow always</button>
      </div>
    </Frame>
  );
}
