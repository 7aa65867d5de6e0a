/** The process of the example page: Vite's dev server. It receives the backend's URL once and exits with its parent. */
import type { PageAnswer, PageOrder } from './example.ts';

const answer = (message: PageAnswer) => {
  if (process.connected) process.send?.(message);
};

// Ctrl-C also signals this process, but the parent decides when it exits.
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
    answer({ ready: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    answer({
      failed:
        code === 'ERR_MODULE_NOT_FOUND'
          ? `${message}. Run "npm ci" to install the dependencies`
          : (message as string),
    });
  }
});
