// The fields of one question: Enter asks. What is sent is what stands in the fields at that moment.
const make = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};

function render({ model, el }) {
  const question = make("input", { type: "text", class: "memlab-ask-question", placeholder: "type a question",
    "aria-label": "question", dir: "auto", autocomplete: "off", spellcheck: "false" });
  const asOf = make("input", { type: "text", placeholder: "now", size: "25", autocomplete: "off",
    title: "a date such as 2024-05-01: what held then; empty for now" });
  const ended = make("input", { type: "checkbox" });
  const button = make("button", { type: "button" }, "Ask");
  const status = make("span", { role: "status", class: "memlab-ask-status" });
  const more = make("div", { class: "memlab-ask-more" },
    make("label", {}, "as of ", asOf), make("label", {}, ended, " show what has ended, too"), status);
  const form = make("div", { role: "search" }, make("div", { class: "memlab-ask-line" }, question, button), more);
  el.classList.add("memlab-askbox");
  el.dataset.lmSuppressShortcuts = "true";
  el.append(form);

  const show = () => {
    question.value = model.get("question");
    asOf.value = model.get("as_of");
    ended.checked = model.get("include_ended");
  };
  const work = () => {
    const busy = model.get("busy");
    question.readOnly = busy;
    button.disabled = busy;
    form.setAttribute("aria-busy", String(busy));
    status.textContent = busy ? "looking…" : "";
  };
  const ask = () => {
    if (model.get("busy")) return;
    // At once, for a kernel that is busy with something else.
    status.textContent = "looking…";
    model.send({ question: question.value, as_of: asOf.value, include_ended: ended.checked });
  };
  // While Korean is composed, Enter ends a syllable and not the question.
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || event.target.tagName !== "INPUT") return;
    event.preventDefault();
    ask();
  });
  button.addEventListener("click", ask);
  const asked = () => { work(); };
  for (const name of ["question", "as_of", "include_ended"]) model.on(`change:${name}`, show);
  model.on("change:busy", work);
  // A kernel that answered without having been busy for long has still answered.
  model.on("msg:custom", asked);
  show();
  work();
  return () => {
    for (const name of ["question", "as_of", "include_ended"]) model.off(`change:${name}`, show);
    model.off("change:busy", work);
    model.off("msg:custom", asked);
  };
}

export default { render };
