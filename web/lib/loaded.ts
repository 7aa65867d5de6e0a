import { ApiError } from './api.ts';

/**
 * Awaits a module that is loaded on demand.
 * @throws {ApiError} `part_missing` if the module failed to load or was replaced by a newer version. Browsers don't
 * retry a failed module, so the page must be reloaded.
 */
export async function loaded<Part>(part: Promise<Part>): Promise<Part> {
  try {
    return await part;
  } catch (cause) {
    throw new ApiError({
      message: 'A part of the program is missing.',
      status: 0,
      code: 'part_missing',
      cause,
    });
  }
}
