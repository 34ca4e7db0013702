/**
 * The reasons why words of the command line are no arguments: what was read, and what is right instead.
 */
import { Excerpt } from "@parley/protocol/shared"
import { describeCause } from "@parley/transport/Transport"
import * as Data from "effect/Data"
import { join } from "../words.ts"

/**
 * Why words are no arguments.
 *
 * - `NotNamed`: a word has no name, and the command has only arguments with names.
 * - `Mixed`: some words have names, and others have none.
 * - `Twice`: two words have one name.
 * - `NotAlone`: a file or stdin is one of several words, and would stand for all of them.
 * - `StdinTwice`: two words read stdin.
 * - `NoFile`: a word ends where the path of a file should begin.
 * - `Split`: several words are one value of JSON, which the shell has split.
 * - `NotJson`: what should be JSON is none. `place` says where it was read.
 * - `NotParams`: all of the params are JSON, but of another kind.
 * - `NotString`: an argument that can only be a string is another value.
 * - `Unread`, `NotUtf8`, `TooLarge`: a file or stdin cannot be read as text.
 */
export type Reason =
  | { readonly _tag: "NotNamed"; readonly word: string }
  | { readonly _tag: "Mixed"; readonly named: string; readonly word: string }
  | { readonly _tag: "Twice"; readonly name: string }
  | { readonly _tag: "NotAlone"; readonly word: string }
  | { readonly _tag: "StdinTwice" }
  | { readonly _tag: "NoFile"; readonly word: string }
  | { readonly _tag: "Split"; readonly word: string; readonly whole: string }
  | { readonly _tag: "NotJson"; readonly place: string; readonly cause: unknown }
  | { readonly _tag: "NotParams"; readonly place: string; readonly expected: string }
  | { readonly _tag: "NotString"; readonly name: string }
  | { readonly _tag: "Unread"; readonly file: string; readonly cause: unknown }
  | { readonly _tag: "NotUtf8"; readonly file: string }
  | { readonly _tag: "TooLarge"; readonly file: string; readonly bytes: number }

/** Words of the command line are no arguments. */
export class ArgumentError extends Data.TaggedError("ArgumentError")<{ readonly reason: Reason }> {
  override get message(): string {
    return textOf(this.reason)
  }

  /** How it is written instead. */
  get hint(): string {
    return hintOf(this.reason)
  }
}

/** The file of this name is stdin. */
export const stdin = "-"

/** A file as a message names it. */
export const nameOf = (file: string): string => file === stdin ? "stdin" : Excerpt.line(file)

/** A word as a message shows it. */
export const quoted = (word: string): string => JSON.stringify(Excerpt.line(word))

const textOf = (reason: Reason): string => {
  switch (reason._tag) {
    case "NotNamed":
      return `${quoted(reason.word)} is not of the form NAME=VALUE`
    case "Mixed":
      return `${Excerpt.line(reason.named)} is given by name, and ${quoted(reason.word)} without a name`
    case "Twice":
      return `${Excerpt.line(reason.name)} is given twice`
    case "NotAlone":
      return `${quoted(reason.word)} stands for all of them, but it is one of several words`
    case "StdinTwice":
      return "stdin is read twice"
    case "NoFile":
      return `${quoted(reason.word)} names no file`
    case "Split":
      return `${quoted(reason.word)} is only the beginning of JSON: the shell has split it at its spaces`
    case "NotJson":
      return `${reason.place} is not JSON: ${describeCause(reason.cause)}`
    case "NotParams":
      return `${reason.place} is not ${reason.expected}`
    case "NotString":
      return `${Excerpt.line(reason.name)} is not a string`
    case "Unread":
      return `${nameOf(reason.file)} cannot be read: ${describeCause(reason.cause)}`
    case "NotUtf8":
      return `${nameOf(reason.file)} is not text in UTF-8`
    case "TooLarge":
      return `${nameOf(reason.file)} has more than ${reason.bytes} bytes`
  }
}

const hintOf = (reason: Reason): string => {
  switch (reason._tag) {
    case "NotNamed":
      return "write NAME=VALUE for each argument, or one JSON object"
    case "Mixed":
      return "name all params, or none; for a text with an equals sign write JSON, as in '\"a=b\"'"
    case "Twice":
      return "write several values as one list, as in NAME:='[1, 2]'"
    case "NotAlone":
      return `leave out the other words; for the text itself write ${join([JSON.stringify(Excerpt.line(reason.word))])}`
    case "StdinTwice":
      return "only one argument can be read from stdin; save the others as files"
    case "NoFile":
      return "write the path of a file behind the @"
    case "Split":
      return `write ${join([Excerpt.line(reason.whole)])}`
    case "NotJson":
      return "quote it for the shell, as in '[42, 23]' or '{\"text\": \"hi\"}'; NAME=TEXT takes any text"
    case "NotParams":
      return "write NAME=VALUE for each, or JSON as in '[42, 23]' or '{\"text\": \"hi\"}'"
    case "NotString":
      return "write NAME=TEXT"
    case "Unread":
      return "@FILE reads a file; for a text that begins with @ write JSON, as in NAME:='\"@ada\"' or '[\"@ada\"]'"
    case "NotUtf8":
    case "TooLarge":
      return "an argument holds text; leave large and binary data to files that the other side can read"
  }
}
