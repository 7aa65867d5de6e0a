/**
 * Exports parts of `node:http`. An import statement would access every member of `node:http`, including the member that
 * loads an HTTP client. This client isn't needed at startup and costs about 20 ms and several MiB.
 */
export const { Agent, createServer, request, ServerResponse, STATUS_CODES } =
  process.getBuiltinModule('node:http');
