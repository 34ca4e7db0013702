/**
 * The questions of a server to the person: forms, field by field, and pages to open.
 * Without a terminal everything is declined.
 */
import type { McpHandlers } from "@parley/mcp/client/McpHandlers"
import type { ElicitForm, ElicitResult, ElicitUrl, FieldValue } from "@parley/mcp/payload/Elicitation"
import * as Prompt from "effect/cli/Prompt"
import * as Effect from "effect/Effect"
import * as Terminal from "effect/Terminal"
import { printableLine, printableUrl } from "../../terminal/output.ts"
import * as Field from "./Field.ts"
import type { Margin } from "./Margin.ts"
import type { Patience } from "./Patience.ts"

/** The services that the prompts need. */
export type Environment = Prompt.Environment

/** Declines, and says what was asked. */
export const declining = (margin: Margin): McpHandlers<Environment> => {
  const decline = ({ message }: { readonly message: string }) =>
    Effect.sync((): ElicitResult => {
      margin.say(`declined, for there is no terminal to ask at: ${message}`)
      return { action: "decline" }
    })
  return { elicit: decline, elicitUrl: decline }
}

/** Asks at the terminal. */
export const atTerminal = (
  { margin, patience }: { readonly margin: Margin; readonly patience: Patience }
): McpHandlers<Environment> => {
  const asking = <A>(ask: (asked: A) => Effect.Effect<ElicitResult, Terminal.QuitError, Environment>) => (asked: A) =>
    patience.pausing(Effect.suspend(() => {
      margin.clear()
      return ask(asked)
    })).pipe(
      Effect.catchTag("QuitError", () => Effect.succeed<ElicitResult>({ action: "cancel" })),
      Effect.updateService(Terminal.Terminal, onStderr)
    )
  return { elicit: asking(form), elicitUrl: asking(page) }
}

/** Results go to stdout, which may be a pipe; questions go to the person. */
export const onStderr = (terminal: Terminal.Terminal): Terminal.Terminal =>
  Terminal.make({
    ...terminal,
    columns: Effect.sync(() => process.stderr.columns ?? 0),
    display: (text) =>
      Effect.callback((resume) => {
        process.stderr.write(text, () => resume(Effect.void))
      })
  })

/** Asks for each field of a form. */
export const form = Effect.fnUntraced(function*(
  { message, requestedSchema }: ElicitForm
): Effect.fn.Return<ElicitResult, Terminal.QuitError, Environment> {
  const fields = Field.fieldsOf(requestedSchema)
  const action = yield* Prompt.Select({
    message: printableLine(message),
    choices: [
      { title: fields.length === 0 ? "accept" : "answer", value: "accept" as const },
      { title: "decline", value: "decline" as const },
      { title: "cancel", value: "cancel" as const }
    ]
  })
  if (action !== "accept") return { action }
  const content: { [name: string]: FieldValue } = {}
  for (const field of fields) {
    const value = yield* Field.prompt(field)
    if (value !== undefined) content[field.name] = value
  }
  return { action, content }
})

/** Asks whether a page was opened; nothing is opened by itself. */
export const page = (
  { message, url }: ElicitUrl
): Effect.Effect<ElicitResult, Terminal.QuitError, Environment> =>
  Effect.map(
    Prompt.Select({
      message: `${printableLine(message)}\n  ${printableUrl(url)}`,
      choices: [
        { title: "I open this page", value: "accept" as const },
        { title: "decline", value: "decline" as const },
        { title: "cancel", value: "cancel" as const }
      ]
    }),
    (action) => ({ action })
  )
