/** What the adapter adds, for the check of types. A function that imports upstream's own declarations has both. */
declare namespace EdgeRuntime {
  function waitUntil<T>(promise: Promise<T>): Promise<T>;
}
