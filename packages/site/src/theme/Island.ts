/** A TypeScript module that lives on a page. It is loaded in the browser alone, when its page is shown. */
import { type Component, defineComponent, h, onBeforeUnmount, onMounted, ref } from "vue"

export interface Island {
  /** Fills an empty element. Returns what takes down all that it has begun, for when the page is left. */
  readonly mount: (element: HTMLElement) => () => void
}

export const make = (load: () => Promise<Island>): Component =>
  defineComponent(() => {
    const element = ref<HTMLElement>()
    let leave: (() => void) | undefined
    let isLeft = false
    onMounted(async () => {
      const { mount } = await load()
      if (!isLeft && element.value !== undefined) leave = mount(element.value)
    })
    onBeforeUnmount(() => {
      isLeft = true
      leave?.()
    })
    return () => h("div", { class: "island", ref: element })
  })
