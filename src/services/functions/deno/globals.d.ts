/**
 * Declares the globals that the adapter adds, for type checks. A function can also import upstream's own declarations.
 */
declare namespace EdgeRuntime {
  function waitUntil<T>(promise: Promise<T>): Promise<T>;
}
