import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/contract/src/internal/codec/errors.ts",
  test: "packages/contract/test/codec/Errors.test.ts",
  mutants: [
    {
      name: "tags-travel",
      promise: 2,
      title: "has on the wire ",
      find: `if (tag !== undefined) delete fields["_tag"]`,
      replace: ``
    },
    {
      name: "typed-errors-stay-remote",
      promise: 2,
      title: "comes from a peer to a peer: ",
      find: `onSuccess: Exit.succeed,`,
      replace: `onSuccess: () => Exit.succeed(error),`
    },
    {
      name: "plain-data-is-no-typed-error",
      promise: 2,
      title: "is read from the plain data of any server",
      find: `...(tag !== undefined && { _tag: tag }),`,
      replace: ``
    },
    {
      name: "the-message-of-the-wire-is-lost",
      promise: 2,
      test: "packages/contract/test/codec/ErrorFields.test.ts",
      title: "of any value is read as it was written",
      find: `...(messageField !== undefined && { [messageField]: text })`,
      replace: `...(messageField !== undefined && { [messageField]: "" })`
    },
    {
      name: "fields-without-a-place-are-lost",
      promise: 2,
      test: "packages/contract/test/codec/ErrorFields.test.ts",
      title: "must have the fields, and a place for each",
      find: `if (dataField !== undefined && lost !== undefined)`,
      replace: `if (dataField === "" && lost !== undefined)`
    },
    {
      name: "the-first-class-that-fits-is-it",
      promise: 2,
      title: "of any value is read as it was written",
      find: `all.find(({ isOwn }) => isOwn(error)) ?? all.find(({ is }) => is(error))`,
      replace: `all.find(({ is }) => is(error)) ?? all.find(({ isOwn }) => isOwn(error))`
    }
  ]
} satisfies Mutants
