/** Declares the adapter's globals for type checks. Functions may also import upstream's own declarations. */
declare namespace EdgeRuntime {
  function waitUntil<T>(promise: Promise<T>): Promise<T>;
}
