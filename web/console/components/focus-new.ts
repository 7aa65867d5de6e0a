/** A `ref` that focuses its control when it appears. Use it only for the control that the operator needs next. */
export const focusNew = (control: HTMLElement | null): void => control?.focus();
