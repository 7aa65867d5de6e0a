/** The oldest major version of Node on which the bundled server runs. */
export const minServerNode = 24;

/** Whether the server can run on this version of Node. @example canRunServer('22.19.0'); // false */
export const canRunServer = (version: string): boolean => Number.parseInt(version, 10) >= minServerNode;
