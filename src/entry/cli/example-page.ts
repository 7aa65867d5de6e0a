/**
 * The process that serves the example page with Vite's dev server. This process receives a single message with the
 * backend's URL, and exits when its parent process exits.
 */
import type { PageMessage, PageOrder } from './example.ts';

const send = (message: PageMessage) => {
  if (process.connected) process.send?.(message);
};

// Ignores Ctrl-C, which also sends a signal to this process, because the parent process decides when this process
// exits.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', () => process.exit());

process.once('message', async (order: PageOrder) => {
  try {
    const { createServer } = await import('vite');
    const names = Object.entries(order.env).map(
      ([name, value]) => [`import.meta.env.${name}`, JSON.stringify(value)] as const,
    );
    const server = await createServer({
      root: order.root,
      cacheDir: order.cacheDir,
      logLevel: 'warn',
      clearScreen: false,
      define: Object.fromEntries(names),
      server: { host: order.host, port: order.port, strictPort: true },
    });
    await server.listen();
    send({ ready: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    send({
      failed:
        code === 'ERR_MODULE_NOT_FOUND'
          ? `${message}. Run "npm ci" to install the dependencies`
          : (message as string),
    });
  }
});
