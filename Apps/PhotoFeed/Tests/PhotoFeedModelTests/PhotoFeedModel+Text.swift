import ImageTesting
import Observation
import PhotoFeedModel

extension PhotoFeedModel {
    /// One that has been loaded, as far as `text` says.
    static func loaded(_ service: ScriptedPhotoService, to text: String = "loaded idle 10") async -> PhotoFeedModel {
        let model = PhotoFeedModel(service: service)
        model.load()
        await model.becomes(text)
        return model
    }

    /// Both states, the number of rows, and whether it is being refreshed: "loaded idle 10".
    var text: String {
        let view =
            switch viewState {
            case .idle: "idle"
            case .loading: "loading"
            case .loaded: "loaded"
            case .error(let failure): "error(\(failure))"
            }
        let end =
            switch paginationState {
            case .idle: "idle"
            case .loading: "loading"
            case .error(let failure): "error(\(failure))"
            case .done: "done"
            }
        return "\(view) \(end) \(photos.count)" + (isRefreshing ? " refreshing" : "")
    }

    /// Returns as soon as an observer has seen it so.
    func becomes(_ wanted: String) async {
        while !Task.isCancelled {
            let change = Gate()
            let isReached = withObservationTracking {
                text == wanted
            } onChange: {
                change.open()
            }
            if isReached { return }
            await change.whenOpen()
        }
    }
}
