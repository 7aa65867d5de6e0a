import type { KeyboardEvent } from 'react';

/** Submits the form on Enter in a select element. By default, browsers submit a form on Enter only in text fields. */
export function submitFromSelect(event: KeyboardEvent): void {
  const { target, key } = event;
  if (key !== 'Enter' || event.defaultPrevented || !(target instanceof HTMLSelectElement)) return;
  event.preventDefault();
  target.form?.requestSubmit();
}
