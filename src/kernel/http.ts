/**
 * Exports parts of `node:http`. An import statement would access every member of the module, and one of them loads an
 * HTTP client that isn't needed at startup (about 20 ms and several MiB).
 */
export const { Agent, createServer, request, ServerResponse, STATUS_CODES } =
  process.getBuiltinModule('node:http');
