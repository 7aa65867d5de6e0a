/** Which test files share a process, in folders whose files all restore what they change in it. */
export const sharedFolders: readonly string[] = ['account', 'auth', 'console', 'rest'];

/** Files in these folders that need a separate process, with reasons. */
export const apart: readonly string[] = [
  // Replaces a module.
  'test/auth/enumeration.test.ts',
];
