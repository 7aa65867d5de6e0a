/**
 * Loads and compiles JSON schema validation when a route is first called. By default, Fastify loads and compiles
 * validation at startup, which would take a quarter of the startup time.
 */
import { createRequire } from 'node:module';
import type { BuildCompilerFromPool } from '@fastify/ajv-compiler';

type Validate = ((data: unknown) => unknown) & { errors?: unknown };

const require = createRequire(import.meta.url);

/** The function for Fastify's option `schemaController.compilersFactory.buildValidator`. */
export const lazyValidation = ((...pool: Parameters<BuildCompilerFromPool>) => {
  let compile: ReturnType<BuildCompilerFromPool> | undefined;
  const compiler = (): ReturnType<BuildCompilerFromPool> => {
    compile ??= (require('@fastify/ajv-compiler')() as BuildCompilerFromPool)(...pool);
    return compile;
  };
  return (route: Parameters<ReturnType<BuildCompilerFromPool>>[0]) => {
    let compiled: Validate | undefined;
    const validate: Validate = (data) => {
      compiled ??= compiler()(route) as unknown as Validate;
      const response = compiled(data);
      validate.errors = compiled.errors;
      return response;
    };
    return validate;
  };
}) as unknown as BuildCompilerFromPool;
