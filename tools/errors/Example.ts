/**
 * What an error of each class says, made by the code that makes it for users.
 *
 * `packages/<package>/test/errors.ts` makes them, as its default export. docs/reference/errors.md has their texts.
 */

/** By the name of the class. `foreign` stands for everything that the other side, or a user, has chosen. */
export interface Examples {
  readonly [name: string]: (foreign: string) => unknown
}
