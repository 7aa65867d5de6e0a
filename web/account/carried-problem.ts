/** An error that one step of a sign-in passes to the next step. */
let carried: unknown;

export function carryProblem(error: unknown): void {
  carried = error;
}

/** Returns the error and clears it. */
export function takeProblem(): unknown {
  const error = carried;
  carried = undefined;
  return error;
}
