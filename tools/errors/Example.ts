/**
 * What an error of each class says, made by the code that makes it for users.
 *
 * `packages/<package>/test/errors.ts` makes them, as its default export. docs/reference/errors.md has their texts.
 */

/** Stands for everything that the other side, or a user, has chosen. */
export const foreign = "no such thing"

export interface Example {
  /**
   * The things that the message must name: by the name of each, as the message has it. A member of the error that `things`
   * lists is among them.
   */
  readonly names: { readonly [thing: string]: string }
  readonly make: (foreign: string) => unknown
}

/** By the name of the class. */
export interface Examples {
  readonly [name: string]: Example
}

/** Members that say what an error is about: a message names those that its error has, by their values. */
export const things: ReadonlyArray<string> = [
  "method",
  "id",
  "code",
  "status",
  "url",
  "uri",
  "tool",
  "key",
  "milliseconds",
  "capability"
]
