/**
 * Remembers the first error of a source. A stream that is destroyed with an error can report another one, such as
 * "Stream was destroyed", if it is read only afterward.
 */
export interface FirstCause {
  /** Passes the source on and remembers its error. */
  watch<T>(source: AsyncIterable<T>): AsyncGenerator<T>;
  /** Remembers the error unless there is an earlier one. */
  note(error: unknown): void;
  /** Returns the first error, or the given error if the source hasn't failed. */
  of(error: unknown): unknown;
}

export function firstCause(): FirstCause {
  let first: { readonly error: unknown } | undefined;
  const note = (error: unknown): void => {
    first ??= { error };
  };
  return {
    note,
    of: (error) => (first === undefined ? error : first.error),
    async *watch(source) {
      try {
        yield* source;
      } catch (error) {
        note(error);
        throw error;
      }
    },
  };
}
