/** Stores the persona that was last used on the Why page in this browser. */
import { parsePersona } from '../../components/persona.ts';

const key = 'plinth-why-persona';

/** Returns the persona as text, or undefined if none has been selected. */
export function lastPersona(): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

export function rememberPersona(as: string): void {
  // Claims can contain personal data, so they aren't stored.
  if (parsePersona(as).kind === 'claims') return;
  try {
    localStorage.setItem(key, as);
  } catch {
    // Without browser storage, the operator must select a persona each time.
  }
}
