/**
 * The source of a mock: conversations of a recording, one for each connection. The first text of a client says which one
 * it wants; a connection more than there were has one of them again.
 */
import { Bindings } from "../recording/Bindings.ts"
import { Catalog } from "../recording/Catalog.ts"
import * as Message from "../recording/Message.ts"
import { hasSession, isOfClient, type Script, type Step } from "../recording/Script.ts"
import { Play } from "./Play.ts"

export class Source {
  readonly #catalogs: ReadonlyArray<Catalog>
  readonly #uses = new Map<Catalog, number>()
  readonly #ignore: ReadonlyArray<string>

  constructor(scripts: ReadonlyArray<Script>, ignore: ReadonlyArray<string>) {
    this.#catalogs = scripts.map((script) => new Catalog(script))
    this.#ignore = ignore
  }

  /** Whether a conversation begins with the server, which then cannot wait for a text. */
  get isServerFirst(): boolean {
    return this.#least(this.#catalogs)?.first !== 0
  }

  /** The conversation for a client that begins with this text, or for the next one. */
  begin<X>(text: string | undefined, now: number): { readonly play: Play<X>; readonly script: Script | undefined } {
    const catalog = this.#least(text === undefined ? this.#catalogs : this.#like(text, now))
      ?? new Catalog({ connection: 0, wire: undefined, endpoint: undefined, framing: undefined, steps: [] })
    this.#uses.set(catalog, (this.#uses.get(catalog) ?? 0) + 1)
    return {
      play: new Play<X>(catalog, { ignore: this.#ignore, others: this.#catalogs }),
      script: catalog.script
    }
  }

  /** Whether a conversation with a session of its own begins like this. */
  isSession(text: string): boolean {
    const members = Message.membersOf(text)
    const comparing = { ignore: this.#ignore, now: 0, bindings: new Bindings() }
    return this.#catalogs.some((catalog) =>
      hasSession(catalog.script) && catalog.alike(members, comparing).some(({ index }) => index === catalog.first)
    )
  }

  /** Conversations that begin like this; all of them where none does. */
  #like(text: string, now: number): ReadonlyArray<Catalog> {
    const members = Message.membersOf(text)
    const comparing = { ignore: this.#ignore, now, bindings: new Bindings() }
    const of = (isLike: (catalog: Catalog) => boolean) => this.#catalogs.filter(isLike)
    const same = of((catalog) =>
      catalog.alike(members, comparing).some(({ differences, index }) =>
        index === catalog.first && differences.length === 0
      )
    )
    if (same.length > 0) return same
    const near = of((catalog) => catalog.alike(members, comparing).some(({ index }) => index === catalog.first))
    return near.length > 0 ? near : this.#catalogs
  }

  #least(catalogs: ReadonlyArray<Catalog>): Catalog | undefined {
    const usesOf = (catalog: Catalog) => this.#uses.get(catalog) ?? 0
    return catalogs.toSorted((one, other) => usesOf(one) - usesOf(other))[0]
  }
}

/** The conversation without what only HTTP has, for another wire. */
export const withoutHttp = (script: Script): Script => ({
  ...script,
  steps: script.steps.flatMap((step): ReadonlyArray<Step> => {
    if (step._tag === "ClientText" || step._tag === "ServerText") return [{ ...step, exchange: undefined }]
    return step.exchange === undefined && !isOfClient(step) ? [step] : []
  })
})
