/** Focuses a control when it appears, as its `ref`. It must be the control that the operator needs next. */
export const focusNew = (control: HTMLElement | null): void => control?.focus();
