import { assert, describe, it } from "@effect/vitest"
import {
  ClientNotificationSchema,
  ClientRequestSchema,
  ServerNotificationSchema,
  ServerRequestSchema
} from "@modelcontextprotocol/sdk/types.js"
import * as Revision from "../../src/wire/Revision.ts"
import * as RevisionCodec from "../../src/wire/RevisionCodec.ts"
import * as RevisionFeatures from "../../src/wire/RevisionFeatures.ts"
import * as Published from "./support/published.ts"

const sorted = (methods: Iterable<string>): ReadonlyArray<string> => [...methods].toSorted()

/** The methods of a union in the specification's file, or of the only member of one. */
const published = (revision: Revision.Revision, ...unions: ReadonlyArray<string>): ReadonlyArray<string> => {
  const definitions = Published.definitions(revision)
  return sorted(unions.flatMap((union) => {
    const definition = definitions[union]
    const members = definition?.anyOf?.map(({ $ref }) => $ref.split("/").at(-1) ?? "") ?? [union]
    return members.flatMap((member) => definitions[member]?.properties?.method?.const ?? [])
  }))
}

const ofSdk = (
  union: { readonly options: ReadonlyArray<{ readonly shape: { readonly method: { readonly value: string } } }> }
): ReadonlyArray<string> => sorted(union.options.map(({ shape }) => shape.method.value))

describe("methods", () => {
  it("of the newest legacy revision are those of the official SDK", () => {
    const methods = RevisionFeatures.methodsOf(Revision.latestLegacy)
    assert.deepStrictEqual(sorted(methods.serverServes), ofSdk(ClientRequestSchema))
    assert.deepStrictEqual(sorted(methods.clientServes), ofSdk(ServerRequestSchema))
    assert.deepStrictEqual(sorted(methods.serverHears), ofSdk(ClientNotificationSchema))
    assert.deepStrictEqual(sorted(methods.clientHears), ofSdk(ServerNotificationSchema))
  })

  it("of each revision have their four directions", () => {
    const codecs = Revision.all.map(RevisionCodec.of)
    const having = (has: (codec: RevisionCodec.RevisionCodec) => boolean) =>
      codecs.filter(has).map(({ revision }) => revision)
    const [first, march, june, november, modern] = Revision.all
    assert.deepStrictEqual(having((codec) => codec.serverServes("tools/call")), [...Revision.all])
    assert.deepStrictEqual(having((codec) => codec.serverServes("initialize")), [first, march, june, november])
    assert.deepStrictEqual(having((codec) => codec.serverServes("server/discover")), [modern])
    assert.deepStrictEqual(having((codec) => codec.clientServes("elicitation/create")), [june, november, modern])
    assert.deepStrictEqual(having((codec) => codec.clientServes("tools/call")), [])
    assert.deepStrictEqual(having((codec) => codec.serverHears("notifications/progress")), [
      first,
      march,
      june,
      november
    ])
    assert.deepStrictEqual(having((codec) => codec.clientHears("notifications/elicitation/complete")), [november])
    assert.deepStrictEqual(having((codec) => codec.serverServes("tasks/result")), [november])
    assert.deepStrictEqual(having((codec) => codec.clientServes("tasks/result")), [november])
  })

  if (Published.isHere) {
    it.each(Revision.all)("of %s are those of the specification's file", (revision) => {
      const methods = RevisionFeatures.methodsOf(revision)
      const questions = Revision.era(revision) === "modern" ? "InputRequest" : "ServerRequest"
      assert.deepStrictEqual(sorted(methods.serverServes), published(revision, "ClientRequest"))
      assert.deepStrictEqual(sorted(methods.clientServes), published(revision, questions))
      assert.deepStrictEqual(sorted(methods.serverHears), published(revision, "ClientNotification"))
      assert.deepStrictEqual(sorted(methods.clientHears), published(revision, "ServerNotification"))
    })
  } else {
    it("of each revision would be compared with the specification's files, if MCP_SCHEMAS named their folder", () => {
      assert.isFalse(Published.isHere)
    })
  }
})
