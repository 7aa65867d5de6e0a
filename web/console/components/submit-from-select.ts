import type { KeyboardEvent } from 'react';

/** Submits the form on Enter in a select element. Browsers do this only in text fields. */
export function submitFromSelect(event: KeyboardEvent): void {
  const { target, key } = event;
  if (key !== 'Enter' || event.defaultPrevented || !(target instanceof HTMLSelectElement)) return;
  event.preventDefault();
  target.form?.requestSubmit();
}
