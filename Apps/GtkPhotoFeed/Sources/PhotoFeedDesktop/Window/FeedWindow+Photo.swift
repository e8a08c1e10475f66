internal import ImageCore
internal import ImageLoading
internal import ImagePresentingGTK
internal import PhotoFeedModel

// What can be done with the open photo.
extension FeedWindow {
    /// Reads the details of the photo if it is loaded and the side panel shows them.
    func showDetails() {
        guard panel.isOpen, let photo = viewer.photo, details.properties.isEmpty,
            let header = viewer.image.appearance.image?.header, viewer.image.appearance.kind == .final
        else { return }
        let title = Property(name: "Title", value: photo.title)
        details.properties = [title]
        Task {
            do {
                let file = try await loading.loader.data(for: ImageRequest(url: photo.url)).data
                let properties = await PhotoDetails.properties(of: file, header: header)
                if viewer.photo == photo { details.properties = [title] + properties }
            } catch {
                toasts.showToast("The file could not be read: \(error)")
            }
        }
    }

    /// Copies the photo at its full size to the clipboard.
    func copyPhoto() {
        guard let photo = viewer.photo else { return }
        Task {
            do {
                let image = try await loading.loader.image(for: loading.original(photo))
                window.copyToClipboard(image.bitmap)
                toasts.showToast("Photo copied")
            } catch {
                toasts.showToast("The photo could not be copied: \(error)")
            }
        }
    }

    /// Asks for a file, and saves the photo as the server has sent it.
    func savePhoto() {
        guard let photo = viewer.photo,
            let chooser = unsafe gtk_file_chooser_native_new(
                "Save Photo", window.cast(to: GtkWindow.self), GTK_FILE_CHOOSER_ACTION_SAVE, "_Save", "_Cancel")
        else { return }
        unsafe gtk_file_chooser_set_current_name(chooser, photo.url.lastPathComponent)
        unsafe GtkWidgetRef.onSignal("response", of: UnsafeMutableRawPointer(chooser)) { [weak self] response in
            if response == Int(GTK_RESPONSE_ACCEPT.rawValue), let path = unsafe chosenPath(chooser) {
                Task { await self?.save(photo, to: URL(filePath: path)) }
            }
            unsafe g_object_unref(UnsafeMutableRawPointer(chooser))
        }
        unsafe gtk_native_dialog_show(UnsafeMutableRawPointer(chooser).assumingMemoryBound(to: GtkNativeDialog.self))
    }

    /// Saves the file of a photo, and tells whether it succeeded.
    func save(_ photo: Photo, to file: URL) async {
        do {
            let data = try await loading.loader.data(for: ImageRequest(url: photo.url)).data
            try await write(data, to: file)
            toasts.showToast("Saved as \(file.lastPathComponent)")
        } catch {
            toasts.showToast("The photo could not be saved: \(error)")
        }
    }
}

/// Writes a file outside the main actor.
@concurrent private func write(_ data: Data, to file: URL) async throws { try data.write(to: file, options: .atomic) }

/// Returns the path that the user has chosen, or nil if the file is not on this computer.
private func chosenPath(_ chooser: OpaquePointer) -> String? {
    guard let file = unsafe gtk_file_chooser_get_file(chooser) else { return nil }
    defer { unsafe g_object_unref(UnsafeMutableRawPointer(file)) }
    guard let path = unsafe g_file_get_path(file) else { return nil }
    defer { unsafe g_free(path) }
    return unsafe String(cString: path)
}
