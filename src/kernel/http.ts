/**
 * Provides parts of `node:http`. An import statement would access every member of the module, and one of them loads an
 * HTTP client (about 20 ms and several MiB) that isn't needed at startup.
 */
export const { Agent, createServer, request, ServerResponse, STATUS_CODES } =
  process.getBuiltinModule('node:http');
