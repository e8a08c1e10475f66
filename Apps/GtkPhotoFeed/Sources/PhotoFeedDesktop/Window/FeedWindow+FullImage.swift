internal import ImagePresentingGTK
internal import PhotoFeedModel

// The full image, and the actions of keys and buttons.
extension FeedWindow {
    func openImage(at position: Int) {
        guard let photo = model.photo(at: position) else { return }
        full.show(photo, at: position, width: max(pages.width, 300), height: max(pages.height - 40, 200))
        pages.showPage(Page.image)
        bar.showsBack = true
    }

    func closeImage() {
        guard full.position != nil else { return }
        full.close()
        pages.showPage(Page.feed)
        bar.showsBack = false
    }

    /// Shows another photo in full. Returns false if no image is open or there is no such photo.
    private func showPhoto(offset steps: Int) -> Bool {
        guard let position = full.position, model.photo(at: position + steps) != nil else { return false }
        openImage(at: position + steps)
        return true
    }

    func connect() {
        animations.onFrame = { [weak self] in self?.frameEnded() }
        footer.onRetry = { [model] in model.retryPage() }
        bar.onBack = { [weak self] in self?.closeImage() }
        bar.onRefresh = { [weak self] in self?.refresh() }
        bar.onLayout = { [weak self] in self?.setLayout($0) }
        bar.onDark = { Theme.isDark = $0 }
        bar.onInspect = { [inspector] in inspector.isOn = $0 }
        window.onSignal("notify::scale-factor") { [weak self] in self?.followThumbnailSize() }
        window.onKey { [weak self] key, isControl in self?.pressed(key, isControl) ?? false }
    }

    /// Handles a key. Returns false if the key has no action here. GTK handles the keys for navigation in the list.
    func pressed(_ key: String, _ isControl: Bool) -> Bool {
        switch (key, isControl) {
        case ("Escape", _), ("BackSpace", _):
            guard full.position != nil else { return false }
            closeImage()
        case ("Left", _): return showPhoto(offset: -1)
        case ("Right", _): return showPhoto(offset: 1)
        case ("F5", _), ("r", true): refresh()
        case ("1", true): bar.choose(.grid)
        case ("2", true): bar.choose(.list)
        case ("i", true): bar.toggleInspector()
        case ("d", true): bar.toggleDark()
        default: return false
        }
        return true
    }
}
