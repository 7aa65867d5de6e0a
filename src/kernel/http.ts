/**
 * Parts of `node:http`. An import statement would read every member of the module, and one of them loads an HTTP client
 * that a start doesn't need (about 20 ms and several MiB).
 */
export const { createServer, request, ServerResponse, STATUS_CODES } = process.getBuiltinModule('node:http');
