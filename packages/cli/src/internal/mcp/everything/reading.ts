/** Resources and prompts. */
import * as McpPrompt from "@parley/mcp/McpPrompt"
import * as McpResource from "@parley/mcp/McpResource"
import * as Content from "@parley/mcp/payload/Content"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Schema from "effect/Schema"
import { pixel } from "./samples.ts"

const text = McpResource.make(
  "test://static-text",
  {
    name: "static-text",
    title: "Static Text Resource",
    description: "A text that does not change",
    mimeType: "text/plain"
  },
  () => Effect.succeed("This is the content of the static text resource.")
)

const binary = McpResource.make(
  "test://static-binary",
  {
    name: "static-binary",
    title: "Static Binary Resource",
    description: "A picture that does not change",
    mimeType: "image/png"
  },
  () => Effect.orDie(Effect.fromResult(Base64.decode(pixel)))
)

const template = McpResource.template(
  "test://template/{id}/data",
  {
    name: "template",
    title: "Resource Template",
    description: "Data of any id",
    mimeType: "application/json",
    complete: { id: (prefix) => Effect.succeed(["123", "124", "200"].filter((id) => id.startsWith(prefix))) }
  },
  ({ id }) => Effect.succeed(JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }))
)

/** A resource that the tool `touch_watched_resource` changes. */
export const watchedUri = "test://watched-resource"

/** The resources; `watched` tells how often the watched one was changed. */
export const resources = (watched: () => number) => [
  text,
  binary,
  template,
  McpResource.make(
    watchedUri,
    {
      name: "watched-resource",
      title: "Watched Resource",
      description: "A text that the tool touch_watched_resource changes",
      mimeType: "text/plain"
    },
    () => Effect.sync(() => `It was changed ${watched()} times.`)
  )
]

const simple = McpPrompt.make(
  "test_simple_prompt",
  { title: "Simple Test Prompt", description: "A prompt without arguments" },
  () => Effect.succeed("This is a simple prompt for testing.")
)

const described = (description: string) => Schema.String.annotate({ description })

const withArguments = McpPrompt.make(
  "test_prompt_with_arguments",
  {
    title: "Prompt With Arguments",
    description: "A prompt that needs two arguments",
    params: { arg1: described("First test argument"), arg2: described("Second test argument") },
    complete: {
      arg1: (prefix) => Effect.succeed(["paris", "park", "party"].filter((value) => value.startsWith(prefix)))
    }
  },
  ({ arg1, arg2 }) => Effect.succeed(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)
)

const withResource = McpPrompt.make(
  "test_prompt_with_embedded_resource",
  {
    title: "Prompt With Embedded Resource",
    description: "A prompt that brings a resource with it",
    params: { resourceUri: described("URI of the resource to embed") }
  },
  ({ resourceUri }) =>
    Effect.succeed([
      Content.resource(Content.textContents(resourceUri, "Embedded resource content for testing.", "text/plain")),
      "Please process the embedded resource above."
    ])
)

const withImage = McpPrompt.make(
  "test_prompt_with_image",
  { title: "Prompt With Image", description: "A prompt that brings a picture with it" },
  () => Effect.succeed([Content.image(pixel, "image/png"), "Please analyze the image above."])
)

export const prompts = [simple, withArguments, withResource, withImage]
