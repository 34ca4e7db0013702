/**
 * `parley mcp list`: what a server offers.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { CommandError } from "../../terminal/CommandError.ts"
import { print } from "../../terminal/output.ts"
import { screenOf } from "../../terminal/style.ts"
import * as Connection from "../Connection.ts"
import type * as Asked from "../dialog/Asked.ts"
import * as listing from "../offer/listing.ts"
import * as Offer from "../offer/Offer.ts"

/** The arguments and flags of the command. */
export interface Input extends Connection.Input {
  readonly kind: Option.Option<"tools" | "resources" | "templates" | "prompts">
}

/** Lists what there is of a kind, or everything. */
export const list = (input: Input): Effect.Effect<void, CommandError, Asked.Environment> =>
  Connection.run(input, ({ client, wait }) =>
    Effect.gen(function*() {
      const screen = screenOf(process.stdout)
      if (Option.isNone(input.kind)) {
        const offer = yield* wait(Offer.all(client))
        if (input.json) return yield* Connection.printJson(offer)
        const blocks = listing.sectionsOf(offer).map((section) =>
          [listing.titleOf(section, screen), ...listing.lines(section.entries, { ...screen, margin: "  " })].join("\n")
        )
        return yield* print(blocks.join("\n\n"))
      }
      const offer = yield* wait(only(client, input.kind.value))
      if (input.json) return yield* Connection.printJson(Object.values(offer)[0])
      for (const { entries } of listing.sectionsOf(offer)) {
        for (const line of listing.lines(entries, { ...screen, margin: "" })) yield* print(line)
      }
    }))

const only = (client: Connection.Connected["client"], kind: Option.Option.Value<Input["kind"]>) => {
  switch (kind) {
    case "tools":
      return Effect.map(client.listTools(), (tools): Offer.Offer => ({ tools }))
    case "resources":
      return Effect.map(client.listResources(), (resources): Offer.Offer => ({ resources }))
    case "templates":
      return Effect.map(client.listResourceTemplates(), (resourceTemplates): Offer.Offer => ({ resourceTemplates }))
    case "prompts":
      return Effect.map(client.listPrompts(), (prompts): Offer.Offer => ({ prompts }))
  }
}
