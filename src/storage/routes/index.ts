/** The service's HTTP routes: parsers, error handling, and one file per group of endpoints. */
import type { FastifyError, FastifyPluginAsync } from 'fastify';
import { nameAbort } from '../aborts.ts';
import { nameUnreadableType, renderStorageError, StorageError, unknownRoute } from '../errors.ts';
import { s3Routes } from '../s3/index.ts';
import { pathOf } from '../scope.ts';
import type { StorageService } from '../service.ts';
import { bucketRoutes } from './buckets.ts';
import { cacheRoutes } from './cache.ts';
import { copyRoutes } from './copy.ts';
import { downloadRoutes } from './download.ts';
import { infoRoutes } from './info.ts';
import { listRoutes } from './list.ts';
import { moveRoutes } from './move.ts';
import { notEnabledRoutes } from './not-enabled.ts';
import { removeRoutes } from './remove.ts';
import { renderRoutes } from './render.ts';
import { resumableRoutes } from './resumable.ts';
import { signRoutes } from './sign.ts';
import { statusRoutes } from './status.ts';
import { uploadRoutes } from './upload.ts';

const jsonBodyLimitBytes = 1024 * 1024;

export function storageRoutes(service: StorageService): FastifyPluginAsync {
  return async (app) => {
    app.removeAllContentTypeParsers();
    app.setErrorHandler((thrown: FastifyError | Error, request, reply) => {
      const error = nameAbort(request.raw, nameUnreadableType(thrown));
      const { status, body } = renderError(error as FastifyError | Error);
      if (status >= 500) service.log.error({ requestId: request.id, error }, 'storage: request failed');
      return reply.code(status).send(body);
    });
    app.setNotFoundHandler((request, reply) =>
      reply.code(404).send(unknownRoute(request.method, pathOf(request.url))),
    );

    app.addHook('onRequest', async ({ headers }) => {
      // The local stack's gateway forwards a missing header as an empty one, so clients that identify themselves
      // receive an invalid token error. Other clients receive upstream's error for the missing header.
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
      // Other bodies are treated as empty, so the validator reports the missing fields.
      scope.addContentTypeParser('*', (_request, payload, done) => {
        payload.resume();
        done(null);
      });
      bucketRoutes(scope, service);
      copyRoutes(scope, service);
      listRoutes(scope, service);
      moveRoutes(scope, service);
      removeRoutes(scope, service);
      signRoutes(scope, service);
      cacheRoutes(scope, service);
    });

    app.register(async (scope) => {
      // Upload bodies are read only after the caller is authorized.
      scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
      uploadRoutes(scope, service);
      resumableRoutes(scope, service);
      if (service.renderer) renderRoutes(scope, service, service.renderer);
      downloadRoutes(scope, service);
      infoRoutes(scope, service);
      notEnabledRoutes(scope);
      statusRoutes(scope, service);
    });

    if (service.s3ProtocolEnabled) app.register(async (scope) => s3Routes(scope, service));
  };
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the JSON body can be empty. */
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
  // PostgreSQL's text type can't contain NUL.
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
  return renderStorageError(new StorageError('InternalError', undefined, { cause: error }));
}
