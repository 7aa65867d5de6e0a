/** Formats a number of milliseconds without its unit. The shorter the duration, the more digits it has. */
export const millis = (ms: number): string =>
  ms === 0 ? '0' : ms < 1 ? ms.toFixed(2) : ms < 10 ? ms.toFixed(1) : Math.round(ms).toLocaleString('en');
