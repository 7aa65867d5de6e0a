/**
 * Parts of `node:http`. An import statement would read every member of the module, one of which loads an HTTP client
 * that isn't needed at startup (about 20 ms and several MiB).
 */
export const { createServer, request, ServerResponse, STATUS_CODES } = process.getBuiltinModule('node:http');
