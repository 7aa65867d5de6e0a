/** Thrown if a required package can't be installed. */
export class PackageError extends Error {
  override name = 'PackageError';
  /** Sentences that describe what the user can do. */
  readonly advice: readonly string[];
  constructor(message: string, advice: readonly string[], cause?: unknown) {
    super(message, { cause });
    this.advice = advice;
  }
}
