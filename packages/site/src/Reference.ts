/** The reference: a page for each public module of the published packages, written by TypeDoc from the sources. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Application, Comment, Converter, type ProjectReflection, ReflectionKind, type TypeDocOptions } from "typedoc"
import type { PluginOptions } from "typedoc-plugin-markdown"
import * as Link from "./Link.ts"
import * as Page from "./Page.ts"
import { frontmatter, put } from "./Pages.ts"

/** The published packages, in the order of the reference: those that others build on come first. */
export const packages: ReadonlyArray<string> = [
  "protocol",
  "transport",
  "traffic",
  "peer",
  "middleware",
  "contract",
  "http",
  "oauth",
  "json-schema",
  "openrpc",
  "effect-rpc",
  "mcp",
  "mcp-apps",
  "mcp-gateway",
  "mcp-tasks",
  "mesh",
  "redis",
  "nats",
  "node",
  "conformance",
  "conform",
  "cli"
]

interface Module {
  readonly package: string
  /** As it is imported from its package: `Message`, or `text/Excerpt`. */
  readonly name: string
  /** Its file, from the root. */
  readonly source: string
}

/** The modules of a package for programs: every source but the index, internal and shared ones, and commands. */
export const modulesOf = (root: string, name: string): ReadonlyArray<Module> =>
  globSync("**/*.ts", { cwd: join(root, "packages", name, "src") })
    .filter((path) => !/^(index|bin)\.ts$|^(internal|shared)\//.test(path))
    .toSorted()
    .map((path) => ({ package: name, name: path.replace(/\.ts$/, ""), source: `packages/${name}/src/${path}` }))

export const sidebar = (root: string) => [
  { text: "All packages", link: "/api/" },
  ...packages.map((name) => ({
    text: `@parley/${name}`,
    link: `/api/${name}/`,
    collapsed: true,
    items: modulesOf(root, name).map((module) => ({ text: module.name, link: `/api/${name}/${module.name}` }))
  }))
]

/** Writes a page for each package and for each of its modules. */
export const write = async (root: string, out: string): Promise<void> => {
  const modules = packages.flatMap((name) => modulesOf(root, name))
  const app = await Application.bootstrapWithPlugins(optionsOf(root, modules, out))
  const project = await readProject(app)
  for (const module of modules) {
    const reflection = project.getChildByName([`${module.package}/src/${module.name}`])
    if (reflection === undefined) throw new Error(`TypeDoc has not read ${module.source}`)
    reflection.name = `${module.package}/${module.name}`
    const line = `import * as ${module.name.split("/").at(-1)} from "@parley/${module.package}/${module.name}"`
    const text = `\`\`\`ts\n${line}\n\`\`\`\n\n${commentOf(root, module)}`
    reflection.comment = new Comment([{ kind: "text", text }])
  }
  await app.generateOutputs(project)
  if (app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error("TypeDoc has complaints, which are above")
  const sources = new Set(Page.all(root).map(({ source }) => source))
  for (const module of modules) {
    const file = join(out, module.package, `${module.name}.md`)
    put(file, frontmatter({ source: Link.addressOf(root, module.source) }) + readFileSync(file, "utf8"))
  }
  for (const name of packages) {
    const readme = { source: `packages/${name}/README.md`, path: `api/${name}/index.md` }
    const text = Link.translate(root, { ...readme, text: readFileSync(join(root, readme.source), "utf8") }, sources)
    const list = modulesOf(root, name).map((module) =>
      `- [${module.name}](./${module.name}.md): ${sentenceOf(root, module)}`
    )
    put(
      join(out, name, "index.md"),
      `${frontmatter({ source: Link.addressOf(root, readme.source) })}${text}\n## All modules\n\n${list.join("\n")}\n`
    )
  }
  put(join(out, "index.md"), indexOf(root))
}

const optionsOf = (
  root: string,
  modules: ReadonlyArray<Module>,
  out: string
): TypeDocOptions & Partial<PluginOptions> => ({
  plugin: ["typedoc-plugin-markdown"],
  entryPoints: modules.map(({ source }) => join(root, source)),
  basePath: join(root, "packages"),
  tsconfig: join(root, "packages/site/tsconfig.reference.json"),
  // `tsc -b` checks the sources.
  skipErrorChecking: true,
  out,
  router: "module",
  readme: "none",
  disableGit: true,
  disableSources: true,
  excludeExternals: true,
  excludeInternal: true,
  excludePrivate: true,
  excludeTags: ["@since"],
  logLevel: "Warn",
  entryFileName: "index.md",
  pageTitleTemplates: { module: "@parley/{name}" },
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  classPropertiesFormat: "table",
  typeDeclarationFormat: "table",
  propertyMembersFormat: "table",
  tableColumnSettings: {
    hideDefaults: true,
    hideInherited: true,
    hideModifiers: true,
    hideOverrides: true,
    hideSources: true
  }
})

/** Constructors that the sources do not write are those of Effect's classes: they say nothing of ours. */
const readProject = async (app: Application): Promise<ProjectReflection> => {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const reflection of project.getReflectionsByKind(ReflectionKind.Constructor)) {
      if (!reflection.hasComment()) project.removeReflection(reflection)
    }
  })
  const project = await app.convert()
  if (project === undefined) throw new Error("TypeDoc reads no sources")
  for (const reflection of Object.values(project.reflections)) {
    if (!reflection.isDeclaration() && !reflection.isSignature()) continue
    // The classes that ours extend are expressions: their text is no name of an origin.
    delete reflection.overwrites
    delete reflection.inheritedFrom
  }
  return project
}

/** The comment that a module opens with, without its tags. */
const commentOf = (root: string, { source }: Module): string => {
  const [, comment = ""] = /^\/\*\*([^]*?)\*\//.exec(readFileSync(join(root, source), "utf8")) ?? []
  return comment.replaceAll(/^ *\* ?/gm, "").replaceAll(/^@\w+.*$/gm, "").trim()
}

const sentenceOf = (root: string, module: Module): string =>
  /^[^]*?[.:](?=\s|$)/.exec(commentOf(root, module))?.[0].replaceAll(/\s+/g, " ").replace(/:$/, ".") ?? ""

const indexOf = (root: string): string => {
  const rows = packages.map((name) => {
    const { description } = JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"))
    return `| [\`@parley/${name}\`](./${name}/index.md) | ${description} |`
  })
  return `# Packages\n\nEvery public module, from the comments of its source.\n\n| Package | Is |\n| --- | --- |\n${
    rows.join("\n")
  }\n`
}
