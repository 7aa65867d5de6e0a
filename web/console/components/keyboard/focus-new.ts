/**
 * A `ref` that focuses its control when the control appears. Use this `ref` only for the control that the operator
 * needs next.
 */
export const focusNew = (control: HTMLElement | null): void => control?.focus();
