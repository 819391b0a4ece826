// Text to read and to copy.
function render({ model, el }) {
  el.classList.add("memlab-copybox");
  const button = document.createElement("button");
  const text = document.createElement("pre");
  button.type = "button";
  text.tabIndex = 0;
  const show = () => {
    button.textContent = model.get("label");
    text.textContent = model.get("text");
  };
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(model.get("text"));
      button.textContent = "Copied";
    } catch {
      // Without leave to write the clipboard the text is selected, for the keyboard to copy.
      getSelection().selectAllChildren(text);
      button.textContent = "Selected: press Ctrl+C";
    }
  });
  model.on("change:text", show);
  show();
  el.append(button, text);
  return () => model.off("change:text", show);
}

export default { render };
