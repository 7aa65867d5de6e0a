/** Remembers in this browser whether shortcuts work that consist of single characters ("?", and "g" with a letter). */
const storageKey = 'plinth.single-keys';
const off = 'off';

export const areKeysOn = (): boolean => localStorage.getItem(storageKey) !== off;

export function turnKeys(on: boolean): void {
  if (on) localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, off);
}
