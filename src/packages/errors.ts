/** A package that is needed but can't be installed. */
export class PackageError extends Error {
  override name = 'PackageError';
  /** Sentences that tell the user what to do. */
  readonly advice: readonly string[];
  constructor(message: string, advice: readonly string[], cause?: unknown) {
    super(message, { cause });
    this.advice = advice;
  }
}
