/** Stores in this browser whether single-character shortcuts are enabled ("?", and "g" followed by a letter). */
const storageKey = 'plinth.single-keys';
const off = 'off';

export const areKeysOn = (): boolean => localStorage.getItem(storageKey) !== off;

export function turnKeys(on: boolean): void {
  if (on) localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, off);
}
