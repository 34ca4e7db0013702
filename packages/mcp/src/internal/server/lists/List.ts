/**
 * Lists in pages. What everyone may see is written once for each revision, to the
 * last member of the result; what depends on who asks is put together for each.
 *
 * A cursor names the entry before its page, so that pages go on where they were
 * while entries come and go. It says nothing of an entry that its bearer may not see.
 */
import * as Written from "@parley/protocol/text/Written"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { CacheHint } from "../../../payload/Listing.ts"
import type { Wire } from "../../../wire/RevisionCodec.ts"

/** @internal */
export type ListName = "tools" | "resources" | "resourceTemplates" | "prompts"

/** How the results of a list end: for how long they keep, and whose they are. @internal */
export interface Finish {
  readonly cache: CacheHint
  readonly serverInfo: (wire: Wire) => Schema.JsonObject
}

/** @internal */
export class List<Item> {
  readonly #name: ListName
  readonly #items: ReadonlyMap<string, Item>
  readonly #encode: (wire: Wire, item: Item) => Schema.JsonObject
  readonly #pageSize: number
  readonly #entries = new Map<Wire, ReadonlyMap<string, Schema.JsonObject>>()
  readonly #pages = new Map<Wire, ReadonlyMap<string | undefined, Schema.JsonObject>>()

  constructor(
    name: ListName,
    items: ReadonlyMap<string, Item>,
    encode: (wire: Wire, item: Item) => Schema.JsonObject,
    pageSize: number
  ) {
    this.#name = name
    this.#items = items
    this.#encode = encode
    this.#pageSize = pageSize
  }

  get items(): ReadonlyMap<string, Item> {
    return this.#items
  }

  /** The result for a cursor; `undefined` where it is none of ours. */
  page(wire: Wire, cursor: string | undefined, finish: Finish): Schema.JsonObject | undefined {
    const known = this.#pages.get(wire) ?? this.#write(wire, finish)
    return known.get(cursor) ?? this.#pageAfter(wire, [...this.#items.keys()], cursor, finish)
  }

  /** The same of some of the entries. */
  pageOf(
    wire: Wire,
    names: ReadonlyArray<string>,
    cursor: string | undefined,
    finish: Finish
  ): Schema.JsonObject | undefined {
    return cursor === undefined ? this.#pageFrom(wire, names, 0, finish) : this.#pageAfter(wire, names, cursor, finish)
  }

  #write(wire: Wire, finish: Finish): ReadonlyMap<string | undefined, Schema.JsonObject> {
    const names = [...this.#items.keys()]
    const pages = new Map<string | undefined, Schema.JsonObject>()
    for (let from = 0; from === 0 || from < names.length; from += this.#pageSize) {
      const cursor = from === 0 ? undefined : this.#cursorOf(names[from - 1] ?? "")
      pages.set(cursor, Written.keep(this.#pageFrom(wire, names, from, finish)))
    }
    this.#pages.set(wire, pages)
    return pages
  }

  #pageAfter(wire: Wire, names: ReadonlyArray<string>, cursor: string | undefined, finish: Finish) {
    const name = cursor === undefined ? undefined : this.#nameIn(cursor)
    const last = name === undefined ? -1 : names.indexOf(name)
    return last < 0 ? undefined : this.#pageFrom(wire, names, last + 1, finish)
  }

  #pageFrom(wire: Wire, names: ReadonlyArray<string>, from: number, { cache, serverInfo }: Finish): Schema.JsonObject {
    const entries = this.#entriesOf(wire)
    const some = names.slice(from, from + this.#pageSize)
    const last = from + some.length < names.length ? some.at(-1) : undefined
    const page = wire.encode.page(this.#name, some.flatMap((name) => entries.get(name) ?? []), {
      nextCursor: last === undefined ? undefined : this.#cursorOf(last),
      cache
    })
    return wire.seal(page, serverInfo(wire))
  }

  #entriesOf(wire: Wire): ReadonlyMap<string, Schema.JsonObject> {
    const known = this.#entries.get(wire)
    if (known !== undefined) return known
    const entries = new Map([...this.#items].map(([name, item]) => [name, this.#encode(wire, item)]))
    this.#entries.set(wire, entries)
    return entries
  }

  #cursorOf(name: string): string {
    return Base64Url.encode(`${this.#name} ${name}`)
  }

  #nameIn(cursor: string): string | undefined {
    const text = Result.getOrUndefined(Base64Url.decodeString(cursor))
    const prefix = `${this.#name} `
    return text?.startsWith(prefix) === true ? text.slice(prefix.length) : undefined
  }
}
