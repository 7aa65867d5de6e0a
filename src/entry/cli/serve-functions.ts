/**
 * Implements `plinth functions serve`. Serves functions with the command's options instead of the server's options, and
 * streams the functions' log output until the command ends.
 */
import type { Backend, FunctionLogLine, InspectMode, ServeSession } from '../main.ts';
import type { RemoteCall } from './control.ts';

/** The maximum number of function URLs that are printed. */
const maxAddresses = 5;

export function functionsServeCall(backend: () => Backend): RemoteCall {
  return async (parameters, onProgress, gone) => {
    const { functions, config, url } = backend();
    const { inspectMode, ...rest } = parameters as ServeSession & { inspectMode?: InspectMode };
    const port = config.edge_runtime.inspector_port;
    const end = functions.serve({
      ...rest,
      ...(inspectMode === undefined ? {} : { inspect: { mode: inspectMode, port } }),
    });
    const unfollow = functions.logs.follow({}, (line) => onProgress(textOf(line)));
    try {
      onProgress(`Serving functions on ${url}/functions/v1/<function-name>`);
      const slugs = functions.list();
      for (const slug of slugs.slice(0, maxAddresses)) onProgress(` - ${url}/functions/v1/${slug}`);
      if (slugs.length > maxAddresses) onProgress(` … and ${slugs.length - maxAddresses} more`);
      for (const [slug, { enabled }] of Object.entries(config.functions))
        if (!enabled) onProgress(`Skipped serving Function: ${slug}`);
      if (inspectMode !== undefined)
        onProgress(
          `The debugger of the first called function listens on 127.0.0.1:${port}, the next one on ${port + 1}, …`,
        );
      if (!gone.aborted)
        await new Promise<void>((resolve) => gone.addEventListener('abort', () => resolve(), { once: true }));
    } finally {
      unfollow();
      end();
    }
  };
}

function textOf({ at, function: slug, level, line }: FunctionLogLine): string {
  const time = new Date(at).toISOString().slice(11, 23);
  return `${time} [${slug}] ${level === 'info' ? '' : `${level}: `}${line}`;
}
