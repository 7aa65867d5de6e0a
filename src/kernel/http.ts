/**
 * `node:http` without its whole: an import statement reads every member of the module, and one of them loads an HTTP
 * client that a start does not need (some 20 ms and several MiB).
 */
export const { createServer, request, ServerResponse, STATUS_CODES } = process.getBuiltinModule('node:http');
