/** Declares the service's parsers, error handling and HTTP routes. Each group of endpoints has its own file. */
import type { FastifyError, FastifyPluginAsync } from 'fastify';
import { isOutOfFiles, retryAfterOf } from '../../../base/shared/errors.ts';
import type { StorageContext } from '../context.ts';
import { nameUnreadableType, renderStorageError, StorageError, unknownRoute } from '../errors.ts';
import { s3Routes } from '../s3/index.ts';
import { pathOf } from '../scope.ts';
import { nameAbort } from '../upload-body.ts';
import { bucketRoutes } from './buckets.ts';
import { copyRoutes, moveRoutes } from './copy-move.ts';
import { downloadRoutes } from './download.ts';
import { infoRoutes } from './info.ts';
import { listRoutes } from './list.ts';
import { removeRoutes } from './remove.ts';
import { renderRoutes } from './render.ts';
import { resumableRoutes } from './resumable.ts';
import { cacheRoutes, notEnabledRoutes, statusRoutes } from './service.ts';
import { signRoutes } from './sign.ts';
import { uploadRoutes } from './upload.ts';

const jsonBodyLimitBytes = 1024 * 1024;

export function storageRoutes(ctx: StorageContext): FastifyPluginAsync {
  return async (app) => {
    app.removeAllContentTypeParsers();
    app.setErrorHandler((thrown: FastifyError | Error, request, reply) => {
      const error = nameAbort(request.raw, nameUnreadableType(thrown));
      const { status, body } = renderError(error as FastifyError | Error);
      const retryAfter = retryAfterOf(error);
      if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
      else if (status >= 500) ctx.log.error({ requestId: request.id, error }, 'storage: request failed');
      return reply.code(status).send(body);
    });
    app.setNotFoundHandler((request, reply) =>
      reply.code(404).send(unknownRoute(request.method, pathOf(request.url))),
    );

    app.addHook('onRequest', async ({ headers }) => {
      // The gateway of the local stack replaces a missing Authorization header with an empty one. As in the local
      // stack, clients that send `x-client-info` without a token receive an error about an invalid token. Other clients
      // receive the error that upstream sends for a missing Authorization header.
      if (headers.authorization === undefined && headers['x-client-info'] !== undefined)
        headers.authorization = '';
    });

    app.register(async (scope) => {
      scope.addContentTypeParser(
        'application/json',
        { parseAs: 'string', bodyLimit: jsonBodyLimitBytes },
        (request, text, done) => {
          try {
            done(null, parseJson(text as string, request.routeOptions.config.emptyBody === true));
          } catch (error) {
            done(error as Error);
          }
        },
      );
      // Request bodies of unknown types are treated as empty, so the validator reports the missing fields.
      scope.addContentTypeParser('*', (_request, payload, done) => {
        payload.resume();
        done(null);
      });
      bucketRoutes(scope, ctx);
      copyRoutes(scope, ctx);
      listRoutes(scope, ctx);
      moveRoutes(scope, ctx);
      removeRoutes(scope, ctx);
      signRoutes(scope, ctx);
      cacheRoutes(scope, ctx);
    });

    app.register(async (scope) => {
      // Upload bodies aren't parsed here, because they are read only after the caller has been authorized.
      scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
      uploadRoutes(scope, ctx);
      resumableRoutes(scope, ctx);
      if (ctx.renderer) renderRoutes(scope, ctx, ctx.renderer);
      downloadRoutes(scope, ctx);
      infoRoutes(scope, ctx);
      notEnabledRoutes(scope);
      statusRoutes(scope, ctx);
    });

    if (ctx.s3ProtocolEnabled) app.register(async (scope) => s3Routes(scope, ctx));
  };
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the JSON body may be empty. */
    emptyBody?: boolean;
  }
}

function parseJson(text: string, mayBeEmpty: boolean): unknown {
  if (text === '') {
    if (mayBeEmpty) return undefined;
    throw new StorageError(
      'InvalidRequest',
      "Body cannot be empty when content-type is set to 'application/json'",
    );
  }
  // PostgreSQL's text type can't contain NUL characters.
  if (text.includes('\\u0000'))
    throw new StorageError('InvalidRequest', 'The body must not contain null characters');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StorageError(
      'InvalidRequest',
      "Body is not valid JSON but content-type is set to 'application/json'",
      {
        cause: error,
      },
    );
  }
}

function renderError(error: FastifyError | Error): ReturnType<typeof renderStorageError> {
  if (error instanceof StorageError) return renderStorageError(error);
  const fault = error as Partial<FastifyError>;
  const { statusCode } = fault;
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    const code = statusCode === 413 ? 'EntityTooLarge' : 'InvalidRequest';
    return {
      status: statusCode,
      body: { statusCode: String(statusCode), error: error.name, message: error.message, code },
    };
  }
  const entry = isOutOfFiles(error) ? 'Overloaded' : 'InternalError';
  return renderStorageError(new StorageError(entry, undefined, { cause: error }));
}
