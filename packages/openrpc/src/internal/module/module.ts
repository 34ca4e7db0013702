/**
 * The module of a document: imports, Schemas, classes of errors, contracts.
 */
import * as Result from "effect/Result"
import type * as Representation from "effect/SchemaRepresentation"
import * as Names from "../code/names.ts"
import * as Source from "../code/source.ts"
import type { JsonSchema } from "../description/descriptor.ts"
import * as OpenRpcDocument from "../OpenRpcDocument.ts"
import { OpenRpcError } from "../OpenRpcError.ts"
import * as Pool from "../pool.ts"
import { pointer } from "../schema/places.ts"
import { nonEmpty, read } from "../schema/reader.ts"
import { type Draft07, mapValues } from "../schema/subschemas.ts"
import * as Contracts from "./contracts.ts"
import * as Dialects from "./dialects.ts"
import * as Errors from "./errors.ts"
import * as Links from "./links.ts"
import * as Generate from "./methods.ts"
import * as Omissions from "./omissions.ts"
import type { Located, Notice, Pools } from "./pools.ts"
import * as Modules from "./representations.ts"
import { fitting, match } from "./revival.ts"
import * as Structures from "./structures.ts"

type Document = OpenRpcDocument.Document
type Path = ReadonlyArray<string>
type Checked<A> = Result.Result<A, OpenRpcError>

interface Options {
  readonly name?: string | undefined
  readonly byPosition?: boolean | undefined
  readonly keepUnknown?: boolean | undefined
}

interface Generated {
  readonly text: string
  readonly notices: ReadonlyArray<Notice>
}

/** @internal */
export const toModule = (given: Document, { byPosition, keepUnknown = false, name }: Options): Checked<Generated> =>
  Result.gen(function*() {
    const { document, guessed } = Structures.guess(given, byPosition)
    const sides = yield* sidesOf(document, name)
    const dialect = yield* dialectOf(document)
    const names = Names.make()
    const contracts = sides.map((side) => ({ ...side, exported: names.take(side.identifier) }))
    const protocol = dialect === undefined
      ? undefined
      : { dialect, exported: names.take(`${nameOf(document, name)}Protocol`) }
    const { declarations, lengths, losses, members } = yield* codeOf(document, sides, names, keepUnknown)
    const notices = [
      ...OpenRpcDocument.omissionsOf(given),
      ...guessed,
      ...Omissions.noticesOf(document, sides.flatMap(({ methods }) => methods)),
      ...members.flat().flatMap(({ notices }) => notices),
      ...losses
    ]
    const body = [
      declarations,
      ...contracts.map(({ exported, identifier }, index) =>
        Contracts.write(document.info.title, { exported, identifier, members: members[index] ?? [] }, names, lengths)
      ),
      ...(protocol === undefined
        ? []
        : [protocolOf(protocol.exported, protocol.dialect, contracts.map(({ exported }) => exported))]),
      `${Source.comment(["What the document says about itself."])}export const info = ${
        Source.layout(Source.literal(document.info), "", "export const info = ".length)
      }\n`
    ].filter((part) => part !== "").join("\n")
    return { text: `${header(document, notices)}${imports(body)}\n${body}`, notices }
  })

/** What one side serves. */
interface Side {
  readonly identifier: string
  readonly methods: ReadonlyArray<readonly [OpenRpcDocument.Method, Path]>
}

const nameOf = (document: Document, name: string | undefined): string =>
  name ?? document["x-parley-contract"] ?? document.info.title

const sidesOf = (document: Document, name: string | undefined): Checked<ReadonlyArray<Side>> =>
  Result.gen(function*() {
    const protocol = document["x-parley-protocol"]
    const all = document.methods.map((method, index) => [method, ["methods", `${index}`]] as const)
    if (protocol === undefined) return [{ identifier: nameOf(document, name), methods: all }]
    const isReverse = (method: OpenRpcDocument.Method) => method["x-parley-direction"] === "server-to-client"
    const reverse: Array<readonly [OpenRpcDocument.Method, Path]> = []
    for (const [method, path] of all) {
      const other = method["x-parley-reverse"]
      if (isReverse(method)) reverse.push([method, path])
      else if (other !== undefined) {
        const at = [...path, "x-parley-reverse"]
        reverse.push([yield* OpenRpcDocument.decodeMethod(other, at), at])
      }
    }
    return [
      { identifier: protocol.client, methods: reverse },
      { identifier: protocol.server, methods: all.filter(([method]) => !isReverse(method)) }
    ]
  })

/** The code of a protocol's dialect; nothing where the document is of one contract. */
const dialectOf = ({ "x-parley-protocol": protocol }: Document): Checked<string | undefined> => {
  if (protocol === undefined) return Result.succeed(undefined)
  if (protocol.dialect === undefined) return Result.succeed("")
  return Result.mapBoth(Dialects.fromJson(protocol.dialect), {
    onSuccess: Dialects.toCode,
    onFailure: ({ message }) =>
      new OpenRpcError({ path: "#/x-parley-protocol/dialect", reason: { _tag: "Malformed", issue: message } })
  })
}

interface Code {
  readonly declarations: string
  readonly losses: ReadonlyArray<Notice>
  readonly lengths: ReadonlyMap<string, number>
  /** Per side. */
  readonly members: ReadonlyArray<ReadonlyArray<Generate.Generated>>
}

const codeOf = (
  document: Document,
  sides: ReadonlyArray<Side>,
  names: Names.Names,
  keepUnknown: boolean
): Checked<Code> =>
  Result.gen(function*() {
    let references: Representation.References = {}
    const errors = Errors.makeClasses(names)
    const pools: Pools = {
      schemas: Pool.make<Located, Representation.Representation>(nothing),
      codes: Pool.make({ runtime: "Schema.Json", Type: "Schema.Json" }),
      resolve: (representation) =>
        representation._tag === "Reference" ? references[representation.$ref] ?? representation : representation,
      match: (representation, json) => match({ representation, references }, json),
      errorClass: errors.take
    }
    const staged = sides.map(({ methods }) => methods.map(([method, path]) => Generate.generate(method, path, pools)))

    const schemas = pools.schemas.items()
    const components = mapValues(document.components?.schemas ?? {}, asObject)
    yield* Links.check(schemas.map(({ path, schema }) => [path, asObject(schema)] as const), components)
    const whole = yield* Result.mapError(
      read(schemas, components, keepUnknown),
      (message) => unsupported(message, schemas)
    )
    const { document: imported, notices: misfits } = fitting(whole)
    references = imported.references
    pools.schemas.turn(imported.representations)
    const later = staged.map((methods) => methods.map((method) => method()))

    const representations = nonEmpty(pools.codes.items(), nothing)
    const { codes, declarations, lengths } = Modules.write({ representations, references }, names)
    pools.codes.turn(codes)
    const members = later.map((methods) => methods.map((method) => method()))
    return {
      declarations: [declarations, errors.declarations()].filter((part) => part !== "").join("\n"),
      losses: [...imported.losses, ...misfits],
      lengths,
      members
    }
  })

const nothing: Representation.Null = { _tag: "Null", checks: [] }

const asObject = (schema: JsonSchema): Draft07 => typeof schema === "boolean" ? (schema ? {} : { not: {} }) : schema

/** The importer's path begins with the number of a root, or the name of a component. */
const unsupported = (message: string, schemas: ReadonlyArray<Located>): OpenRpcError => {
  const [issue = message, at = ""] = message.split("\n  at ")
  const root = /^\["schemas"\]\[(\d+)\]/.exec(at)?.[1]
  const name = /^\["definitions"\]\[("(?:[^"\\]|\\.)*")\]/.exec(at)?.[1]
  const path = name === undefined
    ? schemas[Number(root)]?.path ?? []
    : ["components", "schemas", String(JSON.parse(name))]
  return new OpenRpcError({ path: pointer(path), reason: { _tag: "UnsupportedSchema", issue } })
}

const header = ({ info }: Document, notices: ReadonlyArray<Notice>): string =>
  Source.comment([
    `${info.title}, version ${info.version}.`,
    info.description,
    "Written by `parley codegen` from an OpenRPC document: change that instead.",
    notices.length === 0 ? undefined : `To know:\n${notices.map(({ issue, path }) => `- ${path}: ${issue}`).join("\n")}`
  ])

const imports = (body: string): string =>
  [
    ["Contract", "@parley/contract/Contract"],
    ["Method", "@parley/contract/Method"],
    ["Notification", "@parley/contract/Notification"],
    ["ContractPair", "@parley/contract/ContractPair"],
    ["Subscription", "@parley/contract/Subscription"],
    ["Dialect", "@parley/protocol/Dialect"],
    ["Schema", "effect/Schema"]
  ].flatMap(([name, from]) =>
    // linear: it has no loop
    new RegExp(String.raw`(^|[^\w$.])${name}\.`).test(withoutTexts(body))
      ? [`import * as ${name} from "${from}"\n`]
      : []
  ).join("")

/** What is code: neither a string nor a comment. */
// linear: the code is ours, so its strings and comments end
const withoutTexts = (body: string): string => body.replace(/"(?:[^"\\\n]|\\.)*"|\/\*\*[^]*?\*\//g, "")

const protocolOf = (exported: string, dialect: string, [client = "", server = ""]: ReadonlyArray<string>): string => {
  const members = [["client", client], ["server", server], ...(dialect === "" ? [] : [["dialect", dialect]])] as const
  const start = `export const ${exported} = `
  const code = Source.object(members.map(([name = "", code = ""]) => [name, code]))
  return `${Source.comment(["Both directions."])}${start}${
    Source.layout(`ContractPair.make(${code})`, "", start.length)
  }\n`
}
