import { bottom, type Box, box, curve, detour, type Drawing, top, word } from "./Drawing.ts"

/** The place of each package: above all that it imports. */
const places: Readonly<Record<string, Box>> = {
  cli: { x: 16, y: 16, w: 368, h: 36 },
  conform: { x: 16, y: 106, w: 82, h: 36 },
  "mcp-apps": { x: 302, y: 106, w: 82, h: 36 },
  "mcp-gateway": { x: 196, y: 106, w: 100, h: 36 },
  "mcp-tasks": { x: 104, y: 106, w: 86, h: 36 },
  openrpc: { x: 16, y: 196, w: 82, h: 36 },
  "effect-rpc": { x: 106, y: 196, w: 96, h: 36 },
  mcp: { x: 244, y: 196, w: 60, h: 36 },
  node: { x: 324, y: 196, w: 60, h: 36 },
  oauth: { x: 296, y: 286, w: 60, h: 36 },
  contract: { x: 16, y: 376, w: 82, h: 36 },
  http: { x: 104, y: 376, w: 46, h: 36 },
  middleware: { x: 156, y: 376, w: 112, h: 36 },
  "json-schema": { x: 66, y: 476, w: 100, h: 36 },
  nats: { x: 176, y: 476, w: 50, h: 36 },
  conformance: { x: 232, y: 476, w: 118, h: 36 },
  peer: { x: 16, y: 566, w: 70, h: 36 },
  traffic: { x: 100, y: 566, w: 70, h: 36 },
  redis: { x: 298, y: 566, w: 52, h: 36 },
  transport: { x: 44, y: 656, w: 102, h: 36 },
  mesh: { x: 216, y: 656, w: 110, h: 36 },
  protocol: { x: 120, y: 746, w: 120, h: 36 }
}

/** Lines that pass between boxes, or between them and the border. */
const passes: Readonly<Record<string, { readonly x: number; readonly from: number; readonly to: number }>> = {
  "openrpc json-schema": { x: 101, from: 340, to: 450 },
  "mcp json-schema": { x: 153, from: 360, to: 450 },
  "http peer": { x: 61, from: 450, to: 536 },
  "middleware peer": { x: 171, from: 460, to: 536 },
  "conform traffic": { x: 8, from: 175, to: 530 },
  "conform conformance": { x: 223, from: 190, to: 345 },
  "oauth mesh": { x: 362, from: 370, to: 600 },
  "node mesh": { x: 378, from: 270, to: 610 }
}

const needsNode = new Set(["cli", "node", "nats"])

/** The packages, and who imports whom: `neighbours` are the left ones of the rules that the architecture test holds. */
export const architecture = (neighbours: Readonly<Record<string, ReadonlyArray<string>>>): Drawing => {
  const names = Object.keys(neighbours).filter((name) => Object.hasOwn(places, name))
  const from = (name: string) =>
    names.filter((other) => other !== "cli" && neighbours[other]?.includes(name))
      .toSorted((a, b) => (passes[`${a} ${name}`] ?? places[a]!).x - (passes[`${b} ${name}`] ?? places[b]!).x)
  const to = (name: string) => (neighbours[name] ?? []).toSorted((a, b) => places[a]!.x - places[b]!.x)
  const share = (all: ReadonlyArray<string>, name: string) => (all.indexOf(name) + 1) / (all.length + 1)
  const lines = names.filter((name) => name !== "cli").flatMap((name) =>
    to(name).map((other) => {
      const [start, end] = [
        bottom(places[name]!, share(to(name), other)),
        top(places[other]!, share(from(other), name))
      ]
      const pass = passes[`${name} ${other}`]
      return pass === undefined ? curve(start, end) : detour(start, pass, end)
    })
  )
  return {
    name: "architecture",
    title: "The packages of Parley, and who imports whom",
    description: [
      ...names.filter((name) => name !== "cli").map((name) => `${name} imports ${to(name).join(", ") || "nothing"}.`),
      "cli imports everything.",
      `Only ${[...needsNode].join(", ")} need Node.js.`
    ].join(" "),
    height: 830,
    parts: [
      word([200, 78], "cli imports all of these", { kind: "quiet" }),
      ...lines,
      ...names.map((name) => box(places[name]!, [name], needsNode.has(name) ? "accent" : "")),
      word([200, 812], "blue border: needs Node.js", { kind: "accent" })
    ]
  }
}
