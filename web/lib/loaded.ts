import { ApiError } from './api.ts';

/**
 * A part of the program that is asked for when it is needed.
 * @throws {ApiError} `part_missing`: it did not arrive, or a newer version has taken its place. Browsers do not ask again for a
 *   part that failed: the page has to be loaded again.
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
